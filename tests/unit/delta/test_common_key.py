"""Operators that share one key read each source once; the differential tests show that the rows are
the same, these show when it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, At, Node, Scan
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.bags import SIDE
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.common_subplans import share_common_subplans
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.layout import core_of
from tests.unit.golden.shop import CATALOG, facts_of_all

ROWS = 1_000
ORDERS, CUSTOMERS = "`shop`.`orders`", "`shop`.`customers`"
ABOVE = """select o.order_id, o.amount from shop.orders o where o.amount > (
select avg(i.amount) from shop.orders i where i.customer_id = o.customer_id)"""
LONELY = """select o.order_id from shop.orders o where exists (
select 1 from shop.orders x where x.customer_id = o.customer_id and x.order_id <> o.order_id)
and not exists (select 1 from shop.orders y where y.customer_id = o.customer_id and y.amount > 9)"""
PER_CUSTOMER = """select c.customer_id, count(o.order_id) as orders from shop.customers c
left join shop.orders o on c.customer_id = o.customer_id group by c.customer_id"""
HISTOGRAM = f"select p.orders, count(*) as customers from ({PER_CUSTOMER}) p group by p.orders"
ACTIVE = """select o.order_id, o.amount from shop.orders o where exists (
select 1 from shop.customers c where c.customer_id = o.customer_id and c.name = 'x')"""
PAIRS = """select a.order_id, b.order_id as other from shop.orders a
join shop.orders b on a.customer_id = b.customer_id"""
ELSEWHERE = """select o.order_id, o.amount from shop.orders o where o.amount > (
select avg(i.amount) from shop.orders i where i.note = o.note) and exists (
select 1 from shop.customers c where c.customer_id = o.customer_id)"""

FIRST = """select o.order_id from shop.orders o join (select i.customer_id, first(i.note) as note
from shop.orders i group by i.customer_id) g on g.customer_id = o.customer_id and g.note = o.note"""


def _trees(query: str, *moved: str, amount: str = "decimal(12,2)", **rows: int) -> list[Node]:
    """The delta of what the view's state is made from; what it says more than once is there once.

    amount: type of that column; rows: of the sources that do not have ROWS.
    """
    core = core_of(build_view(query, CATALOG).root)
    known = {
        name: SourceFacts(rows.get(name.split("`")[3], ROWS), {**facts.types, "amount": amount})
        for name, facts in facts_of_all(ROWS).items()
    }
    below = core.input if isinstance(core, Aggregate) else core
    change = delta(below, Context(frozenset(moved), known))
    assert change is not None
    kept, relation = share_common_subplans(change)
    return [*(k.relation for k in kept), relation]


def _read(trees: Iterable[Node]) -> Counter[str]:
    """How often each source is read as it is."""
    nodes = (n for tree in trees for n in walk(tree))
    names = (n.relation for n in nodes if isinstance(n, Scan) and n.at is At.POST)
    return Counter(name for name in names if name.startswith("`shop`"))


def _sliced(trees: Iterable[Node]) -> set[str]:
    """The sources of which all rows of the touched keys are taken, as they are and were."""
    nodes = (n for tree in trees for n in walk(tree))
    return {n for a in nodes if isinstance(a, Aggregate) and SIDE in a.columns for n in _read([a])}


@pytest.mark.parametrize("query", [ABOVE, LONELY])
def test_a_self_joined_source_is_read_once(query: str) -> None:
    assert _read(_trees(query, ORDERS)) == {ORDERS: 1}


@pytest.mark.parametrize("moved", [(ORDERS, CUSTOMERS), (ORDERS,), (CUSTOMERS,)])
def test_groups_over_an_outer_join_read_each_source_once(moved: tuple[str, ...]) -> None:
    assert _read(_trees(HISTOGRAM, *moved)) == {ORDERS: 1, CUSTOMERS: 1}


def test_a_changed_row_of_a_big_table_does_not_slice_the_table() -> None:
    few, many = (_trees(ACTIVE, ORDERS, CUSTOMERS, orders=n * ROWS) for n in (1, 2))
    assert (_sliced(few), _sliced(many)) == ({ORDERS, CUSTOMERS}, {CUSTOMERS})
    assert _read(few) == _read(many) == {ORDERS: 1, CUSTOMERS: 1}


def test_inner_joins_of_tables_stay_terms() -> None:
    assert _sliced(_trees(PAIRS, ORDERS)) == set()


def test_a_changed_source_without_the_key_keeps_the_terms() -> None:
    assert _read(_trees(ELSEWHERE, ORDERS))[ORDERS] == 1
    assert _read(_trees(ELSEWHERE, ORDERS, CUSTOMERS))[ORDERS] > 1


def test_types_that_group_by_merges_keep_the_terms() -> None:
    """0.0 and -0.0 are one to GROUP BY and two to who reads them."""
    assert _read(_trees(LONELY, ORDERS, amount="double"))[ORDERS] > 1


def test_order_dependent_groups_are_refused() -> None:
    with pytest.raises(NotMaintained, match="first"):
        _trees(FIRST, ORDERS)
