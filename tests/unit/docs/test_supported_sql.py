"""The page of supported SQL is what the code says; `make docs` writes it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("supported_sql", DOCS / "supported_sql.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_code_says(generator: ModuleType) -> None:
    assert generator.PAGE.read_text() == generator.page(), "run `make docs` and read the diff"


def test_the_page_names_techniques_and_reasons_only(generator: ModuleType) -> None:
    rows = [line for line in generator.page().splitlines() if line.count(" | ") >= 2]
    said = [row.split(" | ")[1] for row in rows[1:] if not row.startswith("| construct")]
    known = r"`(row_based|group_aggregate|affected_groups|affected_partitions)`|`full`: `[A-Z_]+`, "
    assert len(said) > 60
    assert [s for s in said if not re.match(known, s)] == []
