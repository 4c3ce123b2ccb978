"""Only groups that pass a filter on the joined table are computed, and no row is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical import lower, magic_sets
from tests.differential.algebra.batches import SETTINGS, checked
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.parts import Draw

KEYS = {"t": ("a", "b", "s"), "u": ("a", "s"), "w": ("b", "c")}
"""Columns of the tables that are met by one of the same type."""
LIKE = {"a": "tuw", "b": "tuw", "c": "tuw", "s": "tu"}
INTS = {"t": ("a", "b"), "u": ("a",), "w": ("b", "c")}
CALLS = ("count(*)", "sum(q.{x})", "min(q.{x})", "max(q.{x})", "count(distinct q.{x})")
RESTRICTED = """select g.g0 as k0, g.g9 as k1 from (
select q.a as g0, sum(q.b) as g9 from t q group by q.a) g join u p on g.g0 = p.a where p.a > 0"""
FILTERS = ("p.{x} > 0", "p.{x} in (1, 2)", "p.{x} between 1 and 2", "not p.{x} = 1")


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    """Tables are of one size here, so none is that much smaller; some deltas are restricted."""
    found = []

    def spied(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
        less = magic_sets.push_magic_sets(root, sources)
        found.append(less is not root)
        return less

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(magic_sets, "SMALLER", 0)
        patch.setattr(lower, "push_magic_sets", spied)
        yield
    assert any(found)


@st.composite
def some_groups(draw: Draw) -> str:
    """Groups of a table or a join, joined by their key with a partner that is filtered."""
    table = draw(st.sampled_from(sorted(KEYS)))
    key = draw(st.sampled_from(KEYS[table]))
    x = draw(st.sampled_from(INTS[table]))
    rows = f"select * from {table}"
    form = draw(st.sampled_from(("table", "filter", "join", "exists", "union")))
    if form == "filter":
        rows += f" q where q.{x} < 3"
    elif form == "join":
        rows = f"select l.* from {table} l join w r on r.b = l.{x}"
    elif form == "exists":
        rows += f" q where exists (select 1 from u r where r.a = q.{x})"
    elif form == "union":
        rows += f" union all select * from {table} z where z.{x} = 1"
    call = draw(st.sampled_from(CALLS)).format(x=x)
    more = draw(st.sampled_from(("", f", q.{x}")))
    groups = f"select q.{key} as g0, cast({call} as bigint) as g9 from ({rows}) q"
    groups += f" group by q.{key}{more}"
    other = draw(st.sampled_from(LIKE[key]))
    met = draw(st.sampled_from(("s",) if key == "s" else INTS[other]))
    y = draw(st.sampled_from(INTS[other]))
    partner = f"select p.* from {other} p"
    joined = draw(st.sampled_from(("", f" join w v on v.c = p.{y}")))
    where = draw(st.sampled_from(FILTERS)).format(x=y)
    if draw(st.booleans()):
        partner, where = f"{partner}{joined} where {where}", "1 = 1"
    else:
        partner += joined
    tied = f"g.g0 = p.{met}"
    if draw(st.booleans()):
        tied += f" and p.{y} <= g.g9"
    sides = [f"({groups}) g", f"({partner}) p"]
    if draw(st.booleans()):
        sides.reverse()
    source = f"{sides[0]} join {sides[1]} on {tied} where {where}"
    if draw(st.booleans()):
        return f"select g.g0 as k0, g.g9 as k1, p.{y} as k2 from {source}"
    return f"select p.{y} as k0, count(*) as k1, sum(g.g9) as k2 from {source} group by p.{y}"


@SETTINGS
@given(sql=some_groups(), seed=st.integers(0, 2**32))
@example(sql=RESTRICTED, seed=0)
def test_groups_joined_with_a_filter_equal_their_query(sql: str, seed: int) -> None:
    note(sql)
    checked(sql, seed, Maintained.shown, Maintained.wanted)
