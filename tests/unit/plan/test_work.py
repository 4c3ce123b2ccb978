"""What a refresh reads besides its changes: each table as often as it is read, narrowed or not."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.plan.work import NARROWED, WELL_NARROWED
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.layout import probe
from dbt.adapters.ivm_spark.watermark.cost_model import Work
from tests.unit.golden.shop import CATALOG, TYPES, facts_of_all

ROWS = {"`shop`.`orders`": 10_000_000, "`shop`.`customers`": 900_000}
FACTS = {name: facts_of_all(rows)[name] for name, rows in ROWS.items()}
SUMS = "select customer_id, sum(amount) as amount from orders group by customer_id"
JOIN = """select c.segment, sum(o.amount) as amount from orders o
join customers c on o.customer_id = c.customer_id group by c.segment"""
ROW_BY_ROW = "select customer_id, amount from orders where amount > 5"
LEFT_OVER = """select customer_id from customers
where not exists (select 1 from orders where orders.customer_id = customers.customer_id)"""
BEST = f"with sums as ({SUMS}) select * from sums where amount = (select max(amount) from sums)"
BEST_EACH = "select customer_id, max(amount) as m from orders group by customer_id"
MEDIANS = "select customer_id, percentile(amount, 0.5) as m from orders group by customer_id"


def _work(query: str, *moved: str, insert_only: bool = False) -> Work:
    view = build_view(query, CATALOG)
    types = {c: TYPES.get(c, "decimal(22,2)") for c in probe(view.root).columns}
    layout = lay_out(view, types, "`shop`.`v__ivm`")
    facts = {name: facts for name, facts in FACTS.items() if name in view.sources}
    changed = {f"`shop`.`{name}`": 1_000 for name in moved}
    return Derivation(layout, facts).work(changed, insert_only)


@pytest.mark.parametrize(
    ("query", "moved", "met"),
    [
        (SUMS, ["orders"], 0),
        (SUMS, [], 0),
        (JOIN, ["orders"], 900_000),
        (JOIN, ["customers"], int(NARROWED * 10_000_000)),
        (JOIN, ["orders", "customers"], 900_000 + int(NARROWED * 10_000_000)),
        (MEDIANS, ["orders"], 10_000_000),
    ],
)
def test_work_counts_the_rows_that_a_change_joins(query: str, moved: list[str], met: int) -> None:
    assert _work(query, *moved).met == met


def test_ranges_reduce_the_least_rows_read() -> None:
    joined = _work(JOIN, "orders", "customers")
    assert joined.least == 900_000 + int(WELL_NARROWED * 10_000_000) < joined.met
    assert _work(MEDIANS, "orders").least == 10_000_000, "nothing is narrowed"


def test_rows_read_several_times_count_each_time() -> None:
    """The old and the new sums of all customers, to find the highest."""
    assert _work(BEST, "orders").met >= 2 * ROWS["`shop`.`orders`"]


def test_a_nested_delta_has_more_parts() -> None:
    sums, best = _work(SUMS, "orders"), _work(BEST, "orders")
    assert (sums.materialized, sums.scans) == (0, 1)
    assert best.materialized > 1 and best.scans > 2


def test_groups_that_are_computed_again_read_their_sources_once_more() -> None:
    """The change is materialized, since it also yields the groups that may have lost their best
    value."""
    gained, lost = (
        _work(BEST_EACH, "orders", insert_only=insert_only) for insert_only in (True, False)
    )
    assert (gained.materialized, gained.scans, gained.met) == (0, 1, 0)
    assert (lost.materialized, lost.scans, lost.met) == (1, 2, 10_000_000)


def test_rows_of_a_view_without_groups_are_scattered() -> None:
    assert _work(ROW_BY_ROW, "orders").scattered
    assert _work("select distinct customer_id from orders", "orders").scattered
    assert not _work(SUMS, "orders").scattered


def test_an_insert_into_a_bag_view_looks_up_no_row() -> None:
    assert _work(ROW_BY_ROW, "orders", insert_only=True).adds
    assert not _work(ROW_BY_ROW, "orders").adds
    assert not _work(SUMS, "orders", insert_only=True).adds
    assert not _work(LEFT_OVER, "orders", insert_only=True).adds
