"""Joins, groups and subqueries by one key are one operator of touched keys, and no row is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.delta import common_key, grouping, join, linear
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from tests.differential.algebra.batches import SETTINGS, checked
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.parts import Draw

Rule: TypeAlias = "Callable[..., Node | None]"

COLUMNS = {"t": ("a", "b"), "u": ("a",), "w": ("b", "c")}
KEYED = """select l.b as k0, l.c as k1 from w l where exists (
select 1 from w r where r.b = l.b and r.c <> l.c)"""
CALLS = ("count(*)", "count(q.x)", "sum(q.x)", "min(q.x)", "max(q.x)", "count(distinct q.x)")
WINDOWS = ("count(*)", "sum(q.x)", "max(q.x)")
OVER_ONE = ("filter", "values", "groups", "having", "distinct", "window")
OVER_TWO = ("join", "exists", "not exists", "in", "left", "right", "union", "still")


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    """Some operators are maintained by a key that all below them has."""
    found: list[bool] = []

    def spied(rule: Rule) -> Rule:

        def told_of(node: Node, derive: Derive, context: Context) -> Node | None:
            change = rule(node, derive, context)
            if context.sources:
                found.append(change is not None)
            return change

        return told_of

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "by_group_keys", spied(common_key.by_group_keys))
        patch.setattr(join, "by_common_key", spied(common_key.by_common_key))
        patch.setattr(linear, "by_common_key", spied(common_key.by_common_key))
        yield
    assert any(found)


def by_key(draw: Draw, depth: int) -> str:
    """A query with the columns k, a key that nothing leaves, and x."""
    if depth == 0:
        table = draw(st.sampled_from(sorted(COLUMNS)))
        k, x = (draw(st.sampled_from(COLUMNS[table])) for _ in range(2))
        return f"select q.{k} as k, q.{x} as x from {table} q"
    one = by_key(draw, depth - 1)
    form = draw(st.sampled_from(OVER_ONE + 2 * OVER_TWO))
    if form == "filter":
        return f"select q.k, q.x from ({one}) q where q.x > 0"
    if form == "values":
        return f"select q.k, q.x * 2 - 1 as x from ({one}) q"
    if form in ("groups", "having"):
        call = draw(st.sampled_from(CALLS))
        having = " having count(*) > 1" if form == "having" else ""
        return f"select q.k, cast({call} as bigint) as x from ({one}) q group by q.k{having}"
    if form == "distinct":
        return f"select distinct q.k, q.x from ({one}) q"
    if form == "window":
        call = draw(st.sampled_from(WINDOWS))
        return f"select q.k, cast({call} over (partition by q.k) as bigint) as x from ({one}) q"
    other = by_key(draw, draw(st.integers(0, depth - 1)))
    if form == "union":
        return f"select l.k, l.x from ({one}) l union all select r.k, r.x from ({other}) r"
    if form == "in":
        return f"select l.k, l.x from ({one}) l where l.k in (select r.k from ({other}) r)"
    if form == "still":
        return f"select l.k, l.x from ({one}) l join w v on v.b = l.x where v.c > 0"
    more = draw(st.sampled_from(("", " and r.x <> l.x", " and r.x <= l.x")))
    tied = f"l.k = r.k{more}"
    if form in ("exists", "not exists"):
        among = f"select 1 from ({other}) r where {tied}"
        return f"select l.k, l.x from ({one}) l where {form} ({among})"
    if form == "right":
        return f"select r.k, l.x from ({one}) l right join ({other}) r on {tied}"
    return f"select l.k, r.x from ({one}) l {form.replace('join', '')} join ({other}) r on {tied}"


@st.composite
def some_keyed(draw: Draw) -> str:
    rows = by_key(draw, draw(st.integers(2, 3)))
    top = draw(st.sampled_from(("rows", "groups", "histogram")))
    if top == "rows":
        return f"select q.k as k0, q.x as k1 from ({rows}) q"
    by = "k" if top == "groups" else "x"
    return f"select q.{by} as k0, count(*) as k1, sum(q.x) as k2 from ({rows}) q group by q.{by}"


@SETTINGS
@given(sql=some_keyed(), seed=st.integers(0, 2**32))
@example(sql=KEYED, seed=1)
def test_operators_with_a_common_key_equal_their_query(sql: str, seed: int) -> None:
    note(sql)
    checked(sql, seed, Maintained.shown, Maintained.wanted)
