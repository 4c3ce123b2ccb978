"""`window(time, duration)` is an operator below the GROUP BY of its query block."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, TimeWindow
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG
from tests.unit.sql.refused import check_refused

TIME = "cast(ordered_on as timestamp)"
DAY = f"window({TIME}, '1 day')"


@pytest.mark.parametrize(
    "query",
    [
        f"select {DAY} as w, count(*) from orders group by {DAY}",
        f"select count(*) from orders group by window({TIME}, '2 days', '1 day', '2 hours')",
        f"select window.start, WINDOW.end from orders group by Window({TIME}, '1 day')",
        f"select window({TIME}, '1 day').start as s, count(*) as n from orders group by 1",
        f"select note, count(*) from orders group by note, window({TIME}, '1 day') "
        "having window.start > timestamp'2024-01-01' order by window.end",
        f"select order_id, window({TIME}, '1 day') as w from orders where order_id > 1",
    ],
)
def test_the_window_calls_of_a_block_are_one_operator(query: str) -> None:
    root = build_view(query, CATALOG).root
    (found,) = (node for node in walk(root) if isinstance(node, TimeWindow))
    assert to_sql(found.call).startswith("window(CAST(")
    change = delta(found, Context(frozenset({"`shop`.`orders`"})))
    assert change is not None
    assert set(change.columns) == {*found.columns, WEIGHT}


@pytest.mark.parametrize(
    ("query", "code", "names"),
    [
        (
            f"select count(*) from orders group by {DAY}, window({TIME}, '2 days')",
            "OPERATOR_NOT_SUPPORTED",
            "two different windows",
        ),
        (
            f"select order_id from orders where window({TIME}, '1 day').start is not null",
            "OPERATOR_NOT_SUPPORTED",
            "window()",
        ),
        (
            f"select count(*) from orders group by session_window({TIME}, '1 day')",
            "OPERATOR_NOT_SUPPORTED",
            "session_window()",
        ),
    ],
)
def test_other_uses_are_refused(query: str, code: str, names: str) -> None:
    check_refused(query, code, names)


def test_a_table_called_window_keeps_its_columns() -> None:
    query = "select window.note from orders as window"
    assert not any(isinstance(n, TimeWindow) for n in walk(build_view(query, CATALOG).root))
