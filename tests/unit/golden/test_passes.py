"""A delta before and after each pass, as trees, over sources that are large enough for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.common_subplans import share_common_subplans
from dbt.adapters.ivm_spark.physical.lower import PASSES, Known
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.files import cases, check, sections
from tests.unit.golden.shop import CATALOG, RELATIONS
from tests.unit.golden.trees import tree_text

SHARED = "common subplans"
ROWS = {"orders": 60_000_000, "customers": 6_000_000, "clicks": 1_000}
"""Rows of the sources."""
CASES = cases("passes")
SOURCES = {r.name: SourceFacts.of(ROWS.get(r.name.split("`")[3], 0), r.columns) for r in RELATIONS}


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_a_pass_equals_its_golden_file(path: Path, update_golden: bool) -> None:
    check(path, update_golden, _write)


def test_every_pass_has_a_case_that_it_changes() -> None:
    found = {}
    for path in CASES:
        parts = sections(path.read_text())
        assert parts["before"] != parts["after"], path.name
        found[parts["pass"]] = path
    assert set(found) == {SHARED, *(one.name for one in PASSES)}


def _write(given: dict[str, str]) -> dict[str, str]:
    moved = frozenset(f"`shop`.`{name}`" for name in given["moved"].split())
    change = delta(build_view(given["view"], CATALOG).root, Context(moved, SOURCES))
    assert change is not None
    known = Known(dict.fromkeys(moved, 100), SOURCES)
    for one in PASSES:
        if one.name == given["pass"]:
            return {"before": tree_text(change), "after": tree_text(one.run(change, known))}
        change = one.run(change, known)
    return {"before": tree_text(change), "after": _shared(change)}


def _shared(change: Node) -> str:
    materialized, root = share_common_subplans(change)
    parts = [f"{m.name}:\n{tree_text(m.relation)}" for m in materialized]
    return "\n".join([*parts, "then:", tree_text(root)])
