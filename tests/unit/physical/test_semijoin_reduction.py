"""The keys of a small relation reduce its partner; the differential tests show that the rows of the
join stay the same, these show when it happens."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.traversal import substitute, walk
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Join,
    Materialize,
    Node,
    OuterJoin,
    Scan,
    SemiJoin,
)
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical.broadcast import Bounds
from dbt.adapters.ivm_spark.physical.semijoin_reduction import REDUCED_ROWS, reduce_partners
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG, facts_of_all

BIG = facts_of_all(REDUCED_ROWS)
SMALL = {name: SourceFacts(REDUCED_ROWS - 1, facts.types) for name, facts in BIG.items()}
CUSTOMERS, ORDERS = "`shop`.`customers`", "`shop`.`orders`"

LEFT = """select c.name, o.amount from shop.customers c
left join shop.orders o on o.customer_id = c.customer_id"""
ANTI = """select c.name from shop.customers c where not exists (
select 1 from shop.orders o where o.customer_id = c.customer_id and o.amount > 5)"""
GROUPS = """select c.name, o.total from shop.customers c join (
select customer_id, sum(amount) as total from shop.orders group by customer_id) o
on o.customer_id = c.customer_id"""
PARTITIONS = """select c.name, o.place from shop.customers c join (
select customer_id, row_number() over (partition by customer_id order by order_id) as place
from shop.orders) o on o.customer_id = c.customer_id"""
CHAIN = """select c.name from shop.customers c left join (
select k.user_id from shop.clicks k join shop.orders o on o.customer_id = k.user_id) b
on b.user_id = c.customer_id"""
NESTED_LEFT = """select c.name, b.n from shop.customers c join (
select k.user_id, count(o.order_id) as n from shop.clicks k
left join shop.orders o on o.customer_id = k.user_id group by k.user_id) b
on b.user_id = c.customer_id"""
NESTED_ANTI = """select c.name from shop.customers c left join (
select k.user_id from shop.clicks k where not exists (
select 1 from shop.orders o where o.customer_id = k.user_id)) b on b.user_id = c.customer_id"""
TOTALS = """select c.name from shop.customers c join (
select order_id, sum(customer_id) as total from shop.orders group by order_id) o
on o.total = c.customer_id"""
GUARDED = """select c.name from shop.customers c left join (
select cast(note as bigint) as number from shop.orders where note rlike '^[0-9]+$') o
on o.number = c.customer_id"""
CONVERTED = """select c.name from shop.customers c left join (
select note from shop.orders where note rlike '^[0-9]+$') o on o.note = c.customer_id"""
UNION = """select c.name from shop.customers c left join (
select customer_id from shop.orders union all select user_id from shop.clicks) b
on b.customer_id = c.customer_id"""
NARROW = """select c.name from shop.customers c left join (
select customer_id from shop.orders union all select seconds from shop.clicks) b
on b.customer_id = c.customer_id"""


def _met(query: str, facts: dict[str, SourceFacts] = BIG, known: bool = True) -> Node:
    """The query as it is where its customers are the change."""
    root = build_view(query, CATALOG).root
    (customers,) = (n for n in walk(root) if isinstance(n, Scan) and n.relation == CUSTOMERS)
    change = Scan(customers.relation, customers.alias, customers.fields, At.CHANGES)
    return reduce_partners(
        substitute(root, customers, change), Bounds({CUSTOMERS: 9} if known else {}), facts
    )


def _reduced_tables(root: Node) -> list[str]:
    """What stands twice in the tree is computed once, so each table counts once."""
    return sorted(
        {
            n.input.relation
            for n in walk(root)
            if isinstance(n, SemiJoin) and isinstance(n.input, Scan)
            if any(column.startswith("__ivm_met_") for column in n.among.columns)
        }
    )


@pytest.mark.parametrize("query", [LEFT, ANTI, GROUPS, PARTITIONS])
def test_a_big_partner_is_read_for_the_keys_of_the_change(query: str) -> None:
    assert _reduced_tables(_met(query)) == [ORDERS]


@pytest.mark.parametrize("query", [LEFT, ANTI, GROUPS, PARTITIONS])
def test_a_small_partner_is_read_as_it_is(query: str) -> None:
    assert _reduced_tables(_met(query, SMALL)) == []


def test_the_reduction_is_below_the_aggregate() -> None:
    (groups,) = (n for n in walk(_met(GROUPS)) if isinstance(n, Aggregate))
    assert any(isinstance(n, SemiJoin) for n in walk(groups.input))


def test_a_column_equal_by_a_join_is_a_key_too() -> None:
    assert _reduced_tables(_met(CHAIN)) == ["`shop`.`clicks`", ORDERS]


def test_an_aggregate_is_not_a_key_of_its_input() -> None:
    assert _reduced_tables(_met(TOTALS)) == []


@pytest.mark.parametrize("query", [GUARDED, CONVERTED])
def test_an_expression_that_may_raise_stays_above_its_filter(query: str) -> None:
    """Under ANSI, casting a note that is no number is an error; the query filters such notes
    out."""
    assert _reduced_tables(_met(query)) == []


def test_branches_of_a_union_are_reduced_only_if_their_keys_have_one_type() -> None:
    assert _reduced_tables(_met(UNION)) == ["`shop`.`clicks`", ORDERS]
    assert _reduced_tables(_met(NARROW)) == []


def test_one_table_is_not_reduced_for_an_inner_join_that_broadcasts_the_change() -> None:
    query = """select c.name, o.amount from shop.customers c
        join shop.orders o on o.customer_id = c.customer_id"""
    root = _met(query)
    assert any(isinstance(n, Join) for n in walk(root))
    assert _reduced_tables(root) == []


def test_a_change_of_unknown_size_is_materialized() -> None:
    (stage,) = {
        id(n): n for n in walk(_met(LEFT, known=False)) if isinstance(n, Materialize)
    }.values()
    assert isinstance(stage.input, Scan)
    assert not any(isinstance(n, Materialize) for n in walk(_met(LEFT)))


@pytest.mark.parametrize("query", [NESTED_LEFT, NESTED_ANTI])
def test_a_table_joined_with_a_reduced_one_is_reduced_too(query: str) -> None:
    assert _reduced_tables(_met(query)) == ["`shop`.`clicks`", ORDERS]


def test_the_side_that_keeps_its_rows_is_not_reduced() -> None:
    query = """select o.amount, c.name from shop.orders o
        left join shop.customers c on o.customer_id = c.customer_id"""
    root = _met(query)
    assert any(isinstance(n, OuterJoin) for n in walk(root))
    assert _reduced_tables(root) == []
