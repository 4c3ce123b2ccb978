"""A refresh computes only the changed groups that pass the filter on the joined table.

These tests show when it does. The differential tests show that the rows are the same."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, At, Node, Scan, SemiJoin
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.magic_sets import LONG_ROWS, SMALLER, push_magic_sets
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG, facts_of_all

ORDERS, CUSTOMERS = "`shop`.`orders`", "`shop`.`customers`"
GROUPS = "select customer_id, sum(amount) as total from shop.orders group by customer_id"
SOME = f"""select c.name, o.total from ({GROUPS}) o
join shop.customers c on o.customer_id = c.customer_id where c.segment = 'x'"""
BELOW = f"""select b.name, o.total from ({GROUPS}) o join (
select c.customer_id, c.name from shop.clicks k join shop.customers c
on c.customer_id = k.user_id where c.segment like 'x%') b on b.customer_id = o.customer_id"""
AMONG = f"""select u.seconds, o.total from ({GROUPS}) o join (
select k.user_id, k.seconds from shop.clicks k where k.user_id in (
select c.customer_id from shop.customers c where c.name = 'x')) u on u.user_id = o.customer_id"""
CORRELATED = """select o.order_id from shop.orders o join shop.customers c
on c.customer_id = o.customer_id where c.segment = 'x' and o.amount < (
select avg(i.amount) from shop.orders i where i.customer_id = c.customer_id)"""
ALL = f"""select c.name, o.total from ({GROUPS}) o
join shop.customers c on o.customer_id = c.customer_id"""
GUARDED = f"""select c.name, o.total from ({GROUPS}) o
join shop.customers c on o.customer_id = c.customer_id where cast(c.name as int) > 5"""
TOTALS = """select c.name, o.n from (
select sum(customer_id) as total, note, count(*) as n from shop.orders group by note) o
join shop.customers c on o.total = c.customer_id where c.segment = 'x'"""


def _facts(customers: int = LONG_ROWS // SMALLER) -> dict[str, SourceFacts]:
    facts = facts_of_all(LONG_ROWS)
    return {**facts, CUSTOMERS: SourceFacts(customers, facts[CUSTOMERS].types)}


def _restricted(query: str, *moved: str, facts: dict[str, SourceFacts] | None = None) -> list[str]:
    """The tables whose filters the changed orders meet before their groups are computed."""
    known = facts or _facts()
    change = delta(build_view(query, CATALOG).root, Context(frozenset(moved or (ORDERS,)), known))
    assert change is not None
    found = push_magic_sets(change, known)
    assert found.columns == change.columns
    return sorted({t for n in walk(found) if isinstance(n, Aggregate) for t in _filters(n.input)})


def _filters(node: Node) -> list[str]:
    met = (
        n.among
        for n in walk(node)
        if isinstance(n, SemiJoin) and isinstance(n.input, Scan) and n.input.at is At.CHANGES
    )
    return [s.relation for among in met for s in walk(among) if isinstance(s, Scan)]


@pytest.mark.parametrize("query", [SOME, BELOW, AMONG, CORRELATED])
def test_groups_that_the_partner_filters_out_are_not_computed(query: str) -> None:
    assert _restricted(query) == [CUSTOMERS]


def test_the_keys_and_the_old_groups_are_restricted() -> None:
    change = delta(build_view(SOME, CATALOG).root, Context(frozenset({ORDERS}), {}))
    assert change is not None
    found = push_magic_sets(change, _facts())
    groups = next(n for n in walk(found) if isinstance(n, Aggregate))
    changes = [n for n in walk(groups) if isinstance(n, Scan) and n.at is At.CHANGES]
    met = [n for n in walk(groups) if isinstance(n, SemiJoin) and n.input in changes]
    assert len(changes) == len(met) == 2
    assert met[0] == met[1]


@pytest.mark.parametrize("query", [ALL, TOTALS])
def test_without_a_filter_or_a_key_nothing_is_restricted(query: str) -> None:
    assert _restricted(query) == []


def test_a_filter_that_may_raise_does_not_restrict() -> None:
    assert _restricted(GUARDED) == []


def test_small_or_equally_large_tables_are_not_restricted() -> None:
    assert _restricted(SOME, facts=_facts(LONG_ROWS // SMALLER + 1)) == []
    assert _restricted(SOME, facts=facts_of_all(LONG_ROWS - 1)) == []


def test_a_changing_partner_does_not_restrict() -> None:
    assert _restricted(SOME, ORDERS, CUSTOMERS) == []
