"""Which frames by RANGE are computed for late rows alone."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Window
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG

ORDERS = "`shop`.`orders`"
DAYS = "order by ordered_on range between interval 30 days preceding and current row"
KEYS = "order by order_id range between 3 preceding and current row"


def delta_sql(call: str, order: str, **types: str) -> str:
    """The delta of a window over orders, whose columns have these types."""
    known = {"order_id": "bigint", "ordered_on": "date", "amount": "decimal(10,2)", **types}
    view = build_view(
        f"select order_id, {call} over (partition by customer_id {order}) as x from shop.orders",
        CATALOG,
    )
    facts = {ORDERS: SourceFacts.of(1_000, known.items())}
    change = delta(view.root, Context(frozenset({ORDERS}), facts))
    assert change is not None
    assert any(isinstance(node, Window) for node in walk(change))
    return to_sql(render(change, bind_plain))


@pytest.mark.parametrize(
    ("call", "order", "types"),
    [
        ("max(amount)", DAYS, {}),
        ("min(ordered_on)", KEYS, {}),
        ("count(*)", DAYS.replace("interval 30 days", "30"), {}),
        ("sum(amount)", KEYS.replace("order_id", "order_id desc"), {}),
        ("sum(order_id)", KEYS, {"order_id": "int"}),
        ("sum(amount)", KEYS, {"amount": "decimal(27,10)"}),
    ],
)
def test_a_frame_of_early_rows_grows(call: str, order: str, types: dict[str, str]) -> None:
    assert "__ivm_of_early_0" in delta_sql(call, order, **types)


@pytest.mark.parametrize(
    ("call", "order", "types"),
    [
        ("max(amount)", DAYS, {"ordered_on": "timestamp"}),
        ("max(amount)", DAYS.replace("days", "months"), {}),
        ("max(amount)", DAYS.replace("interval 30 days", "-30"), {}),
        ("max(amount)", KEYS, {"order_id": "decimal(10,0)"}),
        ("max(amount)", KEYS, {"order_id": "smallint"}),
        ("max(amount)", KEYS, {"amount": "double"}),
        ("max(amount)", KEYS, {"amount": "string collate UTF8_LCASE"}),
        ("sum(amount)", KEYS, {"amount": "decimal(30,2)"}),
        ("sum(amount)", KEYS, {"amount": "decimal(28,10)"}),
        ("sum(amount)", KEYS, {"amount": "double"}),
        ("avg(amount)", KEYS, {}),
        ("max(amount + 1)", KEYS, {}),
        ("sum(amount) filter (where amount > 3)", KEYS, {}),
        ("max(amount)", KEYS.replace("order_id range", "order_id + 1 range"), {}),
        ("max(amount)", KEYS.replace("3 preceding", "3000000000 preceding"), {}),
        ("max(amount)", "order by ordered_on", {}),
    ],
)
def test_other_frames_are_computed_as_written(call: str, order: str, types: dict[str, str]) -> None:
    assert "__ivm_of_early_0" not in delta_sql(call, order, **types)


def test_frames_of_unknown_types_are_computed_as_written() -> None:
    view = build_view(
        f"select max(amount) over (partition by customer_id {DAYS}) as x from shop.orders", CATALOG
    )
    change = delta(view.root, Context(frozenset({ORDERS})))
    assert change is not None
    assert "__ivm_of_early_0" not in to_sql(render(change, bind_plain))


def test_values_that_no_frame_needs_are_not_read_of_early_rows() -> None:
    text = delta_sql("max(amount)", DAYS)
    assert "CASE WHEN COALESCE" in text
