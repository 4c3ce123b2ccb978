"""The scripts of docs/, loaded: they are no package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[3] / "docs"


def generator_of(page: str) -> ModuleType:
    """The script that writes a page, by the script's name."""
    spec = importlib.util.spec_from_file_location(page, DOCS / f"{page}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
