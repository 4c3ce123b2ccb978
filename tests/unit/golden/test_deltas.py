"""The SQL of a view and of its delta: how the view's rows change if one source has changed.

Rows of a delta have a weight: 1 for a row more, -1 for a row less.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, At, Scan
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Bound, bind_plain
from tests.unit.golden.files import cases, check, laid_out
from tests.unit.golden.shop import CATALOG

CASES = cases("deltas")


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_a_delta_equals_its_golden_file(path: Path, update_golden: bool) -> None:
    check(path, update_golden, _write)


def _write(given: dict[str, str]) -> dict[str, str]:
    try:
        view = build_view(given["view"], CATALOG)
        layout = laid_out(view, given, "`shop`.`v__ivm`")
    except NotMaintained as error:
        return {"reason": str(error)}
    source = "`shop`.`orders`" if "`shop`.`orders`" in view.sources else min(view.sources)
    change = delta(layout.input, Context(frozenset({source})))
    assert change is not None
    name = source.split(".")[-1].strip("`")
    return {f"delta of {name}": to_sql(render(change, _bind), pretty=True)}


def _bind(scan: Scan) -> Bound:
    """A source by its name, its changes as the table `<source>_changes`."""
    bound = bind_plain(scan)
    if scan.at is At.CHANGES:
        changes = exp.to_identifier(f"{bound.table.name}_changes", quoted=True)
        bound.table.set("this", changes)
        bound.columns[WEIGHT] = exp.column(WEIGHT, table=scan.alias, quoted=True)
    return bound
