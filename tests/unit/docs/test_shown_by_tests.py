"""The pages of cases name tests that exist; `make docs` writes them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.docs.generators import DOCS, generator_of

ROOT = DOCS.parent
GENERATOR = generator_of("shown_by_tests")
SECTIONS: dict[str, list[dict[str, Any]]] = {
    name: yaml.safe_load((DOCS / f"{name}.yml").read_text()) for name in GENERATOR.HEADS
}
ROWS: list[dict[str, str]] = [
    row for sections in SECTIONS.values() for section in sections for row in section["cases"]
]


@pytest.mark.parametrize("name", SECTIONS)
def test_a_page_is_what_its_table_says(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text()
    assert text == GENERATOR.page(name), "run `make docs` and read the diff"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["case"][:40])
def test_a_line_names_a_test_that_exists(row: dict[str, str]) -> None:
    assert row.keys() == {"case", "outcome", "test"}
    if not row["test"]:
        assert row["outcome"].startswith(("not tested", "not supported")), row
        return
    path, _, test = row["test"].partition("::")
    assert Path(path).name.startswith("test_")
    assert (ROOT / path).is_file(), path
    assert test in names_of(ROOT / path), f"no test {test} in {path}"


def test_no_case_is_listed_twice() -> None:
    cases = [row["case"] for row in ROWS]
    assert sorted(set(cases)) == sorted(cases)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_lines(name: str) -> None:
    assert all(section.keys() == {"title", "cases"} for section in SECTIONS[name])
    assert all(section["cases"] for section in SECTIONS[name])


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
