"""EXISTS and IN over an aggregate without GROUP BY, which returns one row even for an empty
input."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.sql.build import View, build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG
from tests.unit.sql.refused import check_refused

TIED = "from orders o where o.customer_id = c.customer_id"


def _view(condition: str) -> View:
    return build_view(f"select c.name from customers c where {condition}", CATALOG)


def _root(condition: str) -> str:
    return to_sql(render(_view(condition).root, bind_plain))


@pytest.mark.parametrize("call", ["max(o.amount)", "count(*)", "collect_list(o.note)"])
def test_exists_of_an_aggregate_is_true_for_every_row(call: str) -> None:
    assert "orders" not in _root(f"exists (select {call} {TIED})")
    assert "WHERE TRUE" in _root(f"exists (select {call} {TIED})")
    assert "NOT TRUE" in _root(f"not exists (select {call} {TIED})")


def test_having_filters_the_row_of_an_empty_input() -> None:
    sql = _root(f"exists (select 1 {TIED} having count(*) = 0)")
    assert "LEFT JOIN (SELECT" in sql
    assert "COALESCE(" in sql
    assert "CASE WHEN" in sql


def test_having_may_use_a_column_of_the_outer_block() -> None:
    sql = _root(f"exists (select 1 {TIED} having max(o.order_id) > c.customer_id)")
    assert "> `c`.`customer_id`" in sql


@pytest.mark.parametrize(
    ("condition", "mark"),
    [
        ("c.customer_id in (select count(*) {})", "THEN TRUE ELSE FALSE END"),
        ("c.customer_id not in (select count(*) {})", "CASE WHEN NOT"),
        ("c.customer_id not in (select count(*) {} having count(*) > 1)", "ELSE TRUE END"),
    ],
)
def test_in_compares_with_the_one_row(condition: str, mark: str) -> None:
    sql = _root(condition.format(TIED))
    assert mark in sql
    assert "SEMI" not in sql
    assert "ANTI" not in sql


def test_having_is_written_back_beside_the_aggregates() -> None:
    view = _view(f"exists (select 1 {TIED} having count(*) > 1)")
    written = to_sql(render(view.written, bind_plain))
    assert "HAVING count(1) > 1" in written
    assert "FROM (SELECT" not in written


def test_refused() -> None:
    text = "select name from customers c where exists (select {})"
    check_refused(text.format(f"1 {TIED} having 1 = 1"), "QUERY_NOT_UNDERSTOOD", "HAVING without")
    apart = "from orders o where o.customer_id < c.customer_id having count(*) > 1"
    check_refused(text.format(f"1 {apart}"), "OPERATOR_NOT_SUPPORTED", "other than equality")
