"""Calls of the clock move into filters and projections, and mean there what they meant before."""

from __future__ import annotations

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Project
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG


def projected(call: str) -> list[str]:
    """The values that are computed below an aggregate."""
    root = build_view(f"select note, {call} as x from orders group by note", CATALOG).root
    items = (item for node in walk(root) if isinstance(node, Project) for item in node.items)
    found = [to_sql(i.expression) for i in items if i.name.startswith("__ivm_at_")]
    return [text.replace("`orders_", "`") for text in found]


def test_a_value_is_computed_for_no_row_that_filter_leaves_out() -> None:
    past = "`ordered_on` < current_date()"
    value = "1 / datediff(current_date(), `ordered_on`)"
    call = (
        "sum(1 / datediff(current_date(), ordered_on)) filter (where ordered_on < current_date())"
    )
    assert projected(call) == [f"CASE WHEN {past} THEN {value} END", past]


def test_a_value_without_filter_stays_as_it_is() -> None:
    assert projected("max(least(ordered_on, current_date()))") == [
        "least(`ordered_on`, current_date())"
    ]
