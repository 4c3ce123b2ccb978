"""How far the functions of a window look before the first changed row."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Scan, Window
from dbt.adapters.ivm_spark.delta.near import Reach, near_rows, reach_of
from dbt.adapters.ivm_spark.delta.touched import Input
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG


def reach(calls: str, relation: str = "shop.orders") -> Reach | None:
    """How far these calls look, in which `w` is a window's beginning."""
    over = "partition by customer_id order by ordered_on"
    spelled = re.sub(r"\bw\b", over, calls)
    view = build_view(f"select {spelled} from {relation}", CATALOG)
    (window,) = (node for node in walk(view.root) if isinstance(node, Window))
    return reach_of(window)


@pytest.mark.parametrize(
    ("calls", "rows"),
    [
        ("lag(amount) over (w) as a", 1),
        ("lag(amount, 2, 0) over (w) as a", 2),
        ("lead(amount, 3) over (w) as a", 3),
        ("lag(amount, 0) over (w) as a", 0),
        ("avg(amount) over (w rows between 49 preceding and current row) as a", 49),
        ("lag(amount) over (w) as a, lag(note, 2) over (w) as b", 2),
        ("lag(amount) over (w) as a, lead(note, 2) over (w) as b", 3),
        ("sum(amount) over (w rows between 2 preceding and current row) as a", 2),
        ("sum(amount) over (w rows between 1 preceding and 2 following) as a", 3),
        ("max(amount) over (w rows 2 preceding) as a", 2),
        ("count(*) over (w rows between 3 preceding and 1 preceding) as a", 3),
        ("count(*) over (w rows between 1 following and 2 following) as a", 2),
        ("count(*) over (w rows between current row and current row) as a", 0),
    ],
)
def test_functions_of_few_rows_have_a_reach(calls: str, rows: int) -> None:
    found = reach(calls)
    assert found is not None
    assert (found.rows, found.offsets, found.descending) == (rows, (), False)
    assert not found.whole
    assert found.keeps_rows_before is ("lead" not in calls and "following" not in calls)


@pytest.mark.parametrize(
    "calls",
    [
        "row_number() over (w) as a",
        "rank() over (w desc) as a, dense_rank() over (w desc, note) as b",
        "count(amount) over (w) as a",
        "first_value(amount) over (w) as a",
        "sum(amount) over (w rows unbounded preceding) as a",
        "max(amount) over (w range between unbounded preceding and current row) as a",
        "max(amount) over (w rows between unbounded preceding and 2 preceding) as a",
        "lag(amount) ignore nulls over (w) as a",
        "lag(amount, 1001) over (w) as a",
        "lag(amount) over (w) as a, row_number() over (w) as b",
        "lag(amount) over (w) as a, max(amount) over (w range interval 1 day preceding) as b",
    ],
)
def test_functions_of_all_rows_before_keep_those_before_the_first_changed_one(calls: str) -> None:
    found = reach(calls)
    assert found is not None
    assert found.whole
    assert found.keeps_rows_before


@pytest.mark.parametrize(
    "calls",
    [
        "ntile(4) over (w) as a",
        "percent_rank() over (w) as a",
        "cume_dist() over (w) as a",
        "sum(amount) over (partition by customer_id) as a",
        "sum(amount) over (w rows between current row and unbounded following) as a",
        "sum(amount) over (w rows between unbounded preceding and 1 following) as a",
        "sum(amount) over (w range between unbounded preceding and unbounded following) as a",
        "lead(amount) ignore nulls over (w) as a",
        "lead(amount, 1001) over (w) as a",
        "lead(amount) over (w) as a, row_number() over (w) as b",
        "row_number() over (w) as a, count(*) over (partition by customer_id) as b",
        "lag(amount) over (partition by customer_id order by ordered_on nulls last) as a",
        "lag(amount) over (partition by customer_id order by ordered_on desc nulls first) as a",
        "row_number() over (partition by customer_id order by ordered_on nulls last) as a",
        "lag(amount) over (w) as a, lag(amount) over (w desc) as b",
        "lag(amount) over (w) as a, lag(amount) over (partition by customer_id order by note) as b",
    ],
)
def test_functions_of_later_rows_or_of_two_orders_have_no_reach(calls: str) -> None:
    assert reach(calls) is None


def test_a_preceding_range_reaches_by_an_offset() -> None:
    frame = "range between interval 30 days preceding and current row"
    found = reach(f"max(amount) over (w desc {frame}) as a")
    assert found is not None
    assert (found.rows, len(found.offsets), found.descending) == (0, 1, True)
    ahead = "range between current row and interval 1 day following"
    assert reach(f"max(amount) over (w {ahead}) as a") is None


@pytest.mark.parametrize("offset", ["make_interval(0, 1)", "cast(1 as int)", "amount"])
def test_an_offset_of_another_form_reaches_all_rows_before(offset: str) -> None:
    frame = f"range between {offset} preceding and current row"
    found = reach(f"max(amount) over (w {frame}) as a")
    assert found is not None
    assert found.whole


@pytest.mark.parametrize(
    ("offset", "slack"), [("interval 1 month", True), ("interval '1' day", True), ("3", False)]
)
def test_an_interval_reaches_two_days_further(offset: str, slack: bool) -> None:
    """30 March 10:00 less a month is later than 31 March 05:00 less a month."""
    frame = f"range between {offset} preceding and current row"
    found = reach(f"max(amount) over (w {frame}) as a")
    assert found is not None
    scan = Scan("`s`.`t`", "t", (("ordered_on", "ordered_on"), ("customer_id", "customer_id")))
    given = Input(scan, scan, (column("customer_id"),))
    text = to_sql(render(near_rows(given, replace(found, key=column("ordered_on"))), bind_plain))
    assert ("INTERVAL '2' DAY" in text) is slack


def test_lag_over_a_join_has_no_reach() -> None:
    joined = "(select o.* from shop.orders o join shop.customers c using (customer_id))"
    assert reach("lag(amount) over (w) as a", joined) is None
    assert reach("row_number() over (w) as a", joined) is None
    frame = "range between interval 30 days preceding and current row"
    assert reach(f"max(amount) over (w {frame}) as a", joined) is not None
