"""The page of accidents names tests that exist; `make docs` writes it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.docs.generators import DOCS, generator_of

ROOT = DOCS.parent
SECTIONS: list[dict[str, Any]] = yaml.safe_load((DOCS / "accidents.yml").read_text())
ROWS: list[dict[str, str]] = [row for section in SECTIONS for row in section["accidents"]]


def test_the_page_is_what_the_table_says() -> None:
    generator = generator_of("accidents")
    assert generator.PAGE.read_text() == generator.page(), "run `make docs` and read the diff"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["accident"][:40])
def test_a_line_names_a_test_that_exists(row: dict[str, str]) -> None:
    assert row.keys() == {"accident", "outcome", "test"}
    path, _, test = row["test"].partition("::")
    assert Path(path).name.startswith("test_")
    assert (ROOT / path).is_file(), path
    assert test in names_of(ROOT / path), f"no test {test} in {path}"


def test_no_accident_is_listed_twice() -> None:
    accidents = [row["accident"] for row in ROWS]
    assert sorted(set(accidents)) == sorted(accidents)


def test_every_section_has_lines() -> None:
    assert all(section.keys() == {"title", "accidents"} for section in SECTIONS)
    assert all(section["accidents"] for section in SECTIONS)


@cache
def names_of(file: Path) -> frozenset[str]:
    """`function` and `Class::method` of each test of a file, those a class inherits from another
    class of the file included."""
    found: set[str] = set()
    methods: dict[str, set[str]] = {}
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            own = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
            methods[node.name] = own.union(*(methods.get(base, set()) for base in bases))
    for name, those in methods.items():
        if name.startswith("Test"):
            found |= {f"{name}::{method}" for method in those if method.startswith("test_")}
    return frozenset(found)
