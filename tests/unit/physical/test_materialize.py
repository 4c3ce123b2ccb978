"""A change is materialized before it joins a big table; a large state is merged within the change's
keys."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.join import FACTOR_ROWS
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.key_ranges import (
    Answer,
)
from dbt.adapters.ivm_spark.physical.lower import Known, Statements, lower
from dbt.adapters.ivm_spark.physical.materialize import STAGE_ROWS
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.layout import layout, probe
from dbt.adapters.ivm_spark.state.target import Target
from tests.unit.golden.shop import CATALOG, TYPES

SUM = """select c.segment, sum(o.amount) as total from shop.clicks k
join shop.customers c on c.customer_id = k.user_id
join shop.orders o on o.customer_id = c.customer_id group by c.segment"""
LEAST = "select o.customer_id, min(o.amount) as least from shop.orders o group by o.customer_id"
ROWS = "select o.order_id, o.amount, o.note, o.customer_id from shop.orders o"
BIG = max(FACTOR_ROWS, STAGE_ROWS)


def _merge(
    query: str,
    moved: str = "orders customers clicks",
    few: int = 10,
    large: bool = False,
    answered: bool = False,
    **rows: int,
) -> Statements:
    view = build_view(query, CATALOG)
    types = {**TYPES, **dict.fromkeys(probe(view.root).columns, "decimal(22,2)"), **TYPES}
    found = layout(view.root, types, "state")
    names = {name: f"`shop`.`{name}`" for name in moved.split()}
    facts = {f"`shop`.`{name}`": SourceFacts(count, TYPES) for name, count in rows.items()}
    change = delta(
        found.input,
        Context(frozenset(names.values()), facts),
    )
    assert change is not None
    bind = Versions(dict.fromkeys(view.sources, 8), dict.fromkeys(view.sources, 9)).bind
    changed = dict.fromkeys(names.values(), few)

    target = Target("state", large=types if large else None)
    first = lower(found, change, target, False, Known(changed, facts), bind)
    if not answered:
        return first
    return first.answered({q: Answer((("3", "5"),), True) for q in first.asks[-1]})


def _source(parts: Statements) -> str:
    return to_sql(parts.query(parts.write.source))


def _kept(parts: Statements) -> list[str]:
    return [to_sql(parts.query(m.relation)) for m in parts.materialized]


def _text(parts: Statements) -> str:
    return "\n".join([*_kept(parts), _source(parts)])


def test_the_biggest_of_three_that_changed_is_read_once() -> None:
    every = _text(_merge(SUM))
    once = _text(_merge(SUM, orders=BIG))
    assert every.count("`shop`.`orders` VERSION AS OF") == 2
    assert once.count("`shop`.`orders` VERSION AS OF") == 1


HANGING = """select sum(o.amount) as total, count(c.name) as n from shop.clicks k
join shop.orders o on o.order_id = k.user_id
join shop.customers c on c.customer_id = o.customer_id"""


@pytest.mark.parametrize(
    ("more", "reads"),
    [
        ("", 1),
        (" and k.seconds > 3", 1),
        (" join shop.customers d on d.customer_id = c.customer_id", 2),
        (" and c.segment = 'x'", 2),
        (" and o.amount > length(c.name)", 2),
        (" join shop.customers d on d.customer_id = c.customer_id and d.segment = 'x'", 4),
        (" join (select * from shop.customers where name > 'a') d on d.customer_id = k.user_id", 3),
    ],
    ids=[
        *("alone", "a filter of another", "with what hangs off it", "a filter", "no equality"),
        *("a filter of what hangs off it", "beside one with a filter"),
    ],
)
def test_a_big_unchanged_source_without_a_filter_is_joined_once(more: str, reads: int) -> None:
    moved = "orders clicks"
    text = _text(_merge(HANGING + more, moved, customers=BIG))
    assert text.count("`shop`.`customers` VERSION AS OF") == reads
    sources = 1 + more.count("shop.customers")
    small = _text(_merge(HANGING + more, moved, customers=FACTOR_ROWS - 1))
    assert small.count("`shop`.`customers` VERSION AS OF") == 2 * sources
    one_term = _text(_merge(HANGING + more, "orders", customers=BIG))
    assert one_term.count("`shop`.`customers` VERSION AS OF") == sources


def test_a_big_source_that_connects_the_changes_is_joined_with_each() -> None:
    text = _text(_merge(SUM, "orders clicks", customers=BIG))
    assert text.count("`shop`.`customers` VERSION AS OF") == 2


def test_two_changed_sources_join_each_others_change() -> None:
    text = _text(_merge(SUM, "orders customers", orders=BIG))
    assert text == _text(_merge(SUM, "orders customers", orders=BIG, clicks=1))
    assert text.count("`shop`.`orders` VERSION AS OF") == 1


def test_unconnected_sources_are_not_cross_joined() -> None:
    """Clicks and orders are joined only through customers, the biggest table here."""
    text = _text(_merge(SUM, customers=BIG))
    assert text.count("`shop`.`customers` VERSION AS OF") == 2
    assert "CROSS" not in text


def test_the_input_of_a_big_join_is_materialized() -> None:
    kept = _kept(_merge(SUM, "clicks", orders=BIG))
    assert len(kept) == 1
    assert "table_changes('`shop`.`clicks`'" in kept[0]
    assert "`shop`.`customers` VERSION AS OF" in kept[0]
    assert "`shop`.`orders`" not in kept[0]
    assert _kept(_merge(SUM, "clicks", orders=STAGE_ROWS - 1)) == []


def test_a_materialized_input_keeps_its_own_conditions() -> None:
    query = """select b.segment, o.amount from (
        select c.segment, c.customer_id from shop.clicks k
        join shop.customers c on c.customer_id = k.user_id) b
        join shop.orders o on o.customer_id = b.customer_id where b.segment = 'x'"""
    kept, _ = _kept(_merge(query, "clicks", orders=BIG))
    assert "`shop`.`customers` VERSION AS OF" in kept
    assert "= 'x'" in kept


def test_a_change_alone_is_broadcast_and_not_materialized() -> None:
    assert _kept(_merge(SUM, "clicks", customers=BIG)) == []


def test_recomputed_groups_are_broadcast_if_the_change_is_small() -> None:
    text = _source(_merge(LEAST, "orders"))
    assert "BROADCAST(`q`)" in text
    assert "BROADCAST(`q_2`)" in text
    assert "BROADCAST" not in _source(_merge(LEAST, "orders", few=10**9))


@pytest.mark.parametrize("query", [LEAST, ROWS])
def test_a_large_state_is_merged_within_the_keys_of_the_change(query: str) -> None:
    assert "BETWEEN" not in to_sql(_merge(query, "orders", answered=True).condition)
    parts = _merge(query, "orders", large=True, answered=True)
    assert [m.name for m in parts.materialized] == ["ivm_materialized_change"]
    on = to_sql(parts.condition)
    assert "`t`.`customer_id` BETWEEN" in on or "`t`.`order_id` BETWEEN" in on
    assert "IS NULL" in on
    assert "`t`.`amount` BETWEEN" not in on


def test_without_key_ranges_a_large_state_is_merged_whole() -> None:
    parts = _merge(ROWS, "orders", large=True)
    assert [question.key for question in parts.asks[-1]] == ["order_id", "note", "customer_id"]
    assert "BETWEEN" not in to_sql(parts.condition)
