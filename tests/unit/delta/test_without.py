"""A delta without the changes of some sources equals the delta as if they had never moved."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import children, walk
from dbt.adapters.ivm_spark.algebra.tree import At, Empty, Join, Node, Scan, UnionAll
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.delta.without import without_changes
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG

ORDERS, CUSTOMERS = "`shop`.`orders`", "`shop`.`customers`"
BOTH = frozenset({ORDERS, CUSTOMERS})
JOIN = """select o.amount, c.segment from shop.orders o
join shop.customers c on o.customer_id = c.customer_id"""
VIEWS = {
    "join": JOIN,
    "aggregate": f"select segment, max(amount) as m from ({JOIN}) group by segment",
    "nested": f"select m, count(*) as n from (select segment, max(amount) as m from ({JOIN}) "
    "group by segment) group by m",
    "left": JOIN.replace("join", "left join"),
    "full": JOIN.replace("join", "full join"),
    "exists": "select customer_id from shop.customers c where exists (select 1 from shop.orders o "
    "where o.customer_id = c.customer_id)",
    "not_in": "select customer_id from shop.customers where customer_id not in "
    "(select customer_id from shop.orders)",
    "union": "select customer_id from shop.orders union all select customer_id from shop.customers",
    "except": "select customer_id from shop.orders except select customer_id from shop.customers",
    "window": "select *, row_number() over (partition by segment order by amount) as n "
    f"from ({JOIN})",
}


def _delta(query: str, moved: frozenset[str]) -> Node:
    change = delta(build_view(query, CATALOG).root, Context(moved))
    assert change is not None
    return change


def _feeds(node: Node) -> set[str]:
    """The change feeds that are read: what is empty reads none."""
    if isinstance(node, Empty):
        return set()
    if isinstance(node, Scan):
        return {node.relation} if node.at is At.CHANGES else set()
    return set().union(*map(_feeds, children(node)))


@pytest.mark.parametrize("query", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("idle", [ORDERS, CUSTOMERS])
def test_the_feed_of_an_idle_source_is_not_read(query: str, idle: str) -> None:
    both = _delta(query, BOTH)
    left = without_changes(both, frozenset({idle}))
    assert _feeds(both) == BOTH
    assert _feeds(left) == BOTH - {idle}
    assert left.columns == both.columns


def test_a_join_keeps_one_term() -> None:
    left = without_changes(_delta(JOIN, BOTH), frozenset({CUSTOMERS}))
    assert sum(isinstance(node, Join) for node in walk(left)) == 1
    assert not any(isinstance(node, (Empty, UnionAll)) for node in walk(left))


def test_the_remaining_input_keeps_the_column_names() -> None:
    left = without_changes(_delta(JOIN, BOTH), frozenset({ORDERS}))
    assert left.columns == _delta(JOIN, BOTH).columns
    assert not any(isinstance(node, Empty) for node in walk(left))


@pytest.mark.parametrize("query", VIEWS.values(), ids=VIEWS)
def test_without_any_change_the_delta_is_empty(query: str) -> None:
    assert isinstance(without_changes(_delta(query, BOTH), BOTH), Empty)


def test_an_empty_branch_still_decides_the_types() -> None:
    left = without_changes(_delta(VIEWS["union"], BOTH), frozenset({CUSTOMERS}))
    assert "customers" in to_sql(render(left, bind_plain))
