"""A subplan that a delta repeats is computed once if it depends on a change and is expensive."""

from __future__ import annotations

from collections import Counter

from dbt.adapters.ivm_spark.algebra.materialized import Materialized, materialized_name
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import At, Node, Scan
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.common_subplans import share_common_subplans
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

ONE_TABLE = "select amount from shop.orders where amount > 1"
JOIN = "select o.amount from shop.orders o join shop.customers c on o.customer_id = c.customer_id"
NESTED = """select c.segment from shop.customers c full join (
  select customer_id, count(*) as n from shop.orders group by customer_id) o
on o.customer_id = c.customer_id"""


def _shared(query: str, token: str = "") -> tuple[tuple[Materialized, ...], Node]:
    view = build_view(query, CATALOG)
    change = delta(view.root, Context(frozenset(view.sources)))
    assert change is not None
    return share_common_subplans(change, token)


def test_two_refreshes_have_names_of_their_own() -> None:
    """Otherwise dropping a view of one would drop the cache of both."""
    names = {token: [k.name for k in _shared(JOIN, token)[0]] for token in ("", "a", "b")}
    assert names == {token: [materialized_name("1", token)] for token in ("", "a", "b")}
    root = _shared(JOIN, "a")[1]
    assert {r for r, at in _scans(root) if at is At.TEMPORARY} == set(names["a"])


def _scans(*trees: Node) -> Counter[tuple[str, At]]:
    return Counter((n.relation, n.at) for t in trees for n in walk(t) if isinstance(n, Scan))


def test_a_subplan_used_once_is_not_materialized() -> None:
    assert _shared(ONE_TABLE)[0] == ()


def test_a_change_used_twice_is_materialized() -> None:
    kept, root = _shared(JOIN)
    assert [k.name for k in kept] == [materialized_name("1", "")]
    feeds = {r: n for (r, at), n in _scans(root, kept[0].relation).items() if at is At.CHANGES}
    assert set(feeds.values()) == {1}


def test_each_feed_is_read_once_below_nested_operators() -> None:
    kept, root = _shared(NESTED)
    trees = [*(k.relation for k in kept), root]
    view = build_view(NESTED, CATALOG)
    change = delta(view.root, Context(frozenset(view.sources)))
    assert change is not None
    before, after = _scans(change), _scans(*trees)
    assert max(n for (_, at), n in before.items() if at is At.CHANGES) > 1
    assert all(n == 1 for (_, at), n in after.items() if at is At.CHANGES)
    assert sum(after[(name, At.POST)] for name in view.sources) < sum(
        before[(name, At.POST)] for name in view.sources
    )


def test_a_materialized_subplan_reads_only_earlier_ones() -> None:
    kept, root = _shared(NESTED)
    known: set[str] = set()
    for one in kept:
        used = {r for r, at in _scans(one.relation) if at is At.TEMPORARY}
        assert used <= known
        known.add(one.name)
    assert {r for r, at in _scans(root) if at is At.TEMPORARY} <= known


def test_a_whole_source_is_never_materialized() -> None:
    for one in _shared(NESTED)[0]:
        changing = [n for n in walk(one.relation) if isinstance(n, Scan) and n.at is not At.POST]
        assert changing


def test_the_old_rows_of_a_source_are_not_materialized() -> None:
    three = """select o.amount from shop.orders o join shop.customers c
      on o.customer_id = c.customer_id join shop.customers d on d.segment = c.segment"""
    kept, root = _shared(three)
    assert {type(one.relation).__name__ for one in kept} == {"Scan"}
    assert any(at is At.POST for _, at in _scans(root))
