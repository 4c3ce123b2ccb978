"""The dbt models of the brokerage and the order in which they stand on each other."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from benchmarks.models import Model

FOLDER = Path(__file__).parent / "models"
LAYERS = ("bronze", "silver", "gold")
_REF = re.compile(r"ref\('(\w+)'\)")
_SOURCE = re.compile(r"source\('brokerage', '(\w+)'\)")

PATHS = {path.stem: path for layer in LAYERS for path in sorted((FOLDER / layer).glob("*.sql"))}
"""The file of each model by name, bronze first."""
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PATHS.items()}


def refs(name: str) -> frozenset[str]:
    """Return the models that a model reads."""
    return frozenset(_REF.findall(TEXTS[name]))


def sources(name: str) -> frozenset[str]:
    """Return the sources that a model reads itself."""
    return frozenset(_SOURCE.findall(TEXTS[name]))


def depth(name: str) -> int:
    """Return 1 for a model that reads sources only, else 1 more than the deepest that it reads."""
    return 1 + max((depth(below) for below in refs(name)), default=0)


def ordered(names: Collection[str] | None = None) -> list[str]:
    """Return some models, by default all, and every model that they read, the lowest first.

    Raises ValueError if a name is not a model.
    """
    wanted = set(TEXTS if names is None else names)
    if unknown := wanted - TEXTS.keys():
        raise ValueError(f"no models of layers: {', '.join(sorted(unknown))}")
    while missing := {below for name in wanted for below in refs(name)} - wanted:
        wanted |= missing
    return sorted((name for name in TEXTS if name in wanted), key=depth)


def model(name: str) -> Model:
    """Return a model for the rivals: each form of it reads models of the same form."""
    return Model(name, _REF.sub(r"below('\1')", TEXTS[name]))
