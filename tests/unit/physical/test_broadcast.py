"""Only relations whose size is bounded by the changes alone are broadcast."""

from __future__ import annotations

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.materialized import Materialized
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Distinct,
    Generate,
    Join,
    Project,
    Scan,
    UnionAll,
)
from dbt.adapters.ivm_spark.delta.bags import both_sides
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.broadcast import BROADCAST_ROWS, Bounds, with_broadcasts
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from tests.unit.golden.shop import CATALOG

JOIN = "select o.amount from shop.orders o join shop.customers c on o.customer_id = c.customer_id"
EXISTS = """select c.customer_id from shop.customers c
where exists (select 1 from shop.orders o where o.customer_id = c.customer_id)"""


def _sql(query: str, **changed: int) -> str:
    view = build_view(query, CATALOG)
    names = {f"`shop`.`{name}`": rows for name, rows in changed.items()}
    change = delta(view.root, Context(frozenset(names)))
    assert change is not None
    pinned = dict.fromkeys(view.sources, 9)
    bind = Versions(dict.fromkeys(view.sources, 8), pinned).bind
    return to_sql(render(with_broadcasts(change, Bounds(names)), bind))


def test_a_small_change_is_broadcast_to_its_partner() -> None:
    sql = _sql(JOIN, orders=10)
    assert sql.startswith("SELECT /*+ BROADCAST(`o`) */")
    assert "table_changes('`shop`.`orders`', 8, 9)) AS `o` JOIN `shop`.`customers`" in sql


def test_each_term_broadcasts_its_own_change() -> None:
    sql = _sql(JOIN, orders=10, customers=3)
    assert sql.count("BROADCAST(`o`)") == 1
    assert sql.count("BROADCAST(`c`)") == 1


@pytest.mark.parametrize("rows", [BROADCAST_ROWS + 1, 10**9])
def test_a_large_change_is_not_broadcast(rows: int) -> None:
    assert "BROADCAST" not in _sql(JOIN, orders=rows)


def test_touched_keys_are_broadcast_to_what_they_slice() -> None:
    sql = _sql(EXISTS, orders=10)
    assert "BROADCAST" in sql
    assert "LEFT SEMI JOIN (SELECT DISTINCT" in sql


def test_a_query_without_a_change_gets_no_broadcast_hint() -> None:
    view = build_view(JOIN, CATALOG)
    assert with_broadcasts(view.root, Bounds()) == view.root


def test_the_groups_of_a_change_that_repeats_rows_are_broadcast() -> None:
    """An ivm model that counts equal rows repeats them: its groups stay as few as the changes."""
    repeated = "shop.orders o lateral view explode(array_repeat(0, o.order_id)) e as k"
    sql = _sql(
        f"""select c.customer_id from shop.customers c
        where exists (select 1 from {repeated} where o.customer_id = c.customer_id)""",
        orders=10,
    )
    assert "LEFT SEMI JOIN (SELECT DISTINCT" in sql
    assert "BROADCAST" in sql


def test_what_a_change_repeats_is_not_bounded() -> None:
    repeated = "shop.orders o lateral view explode(array_repeat(0, o.order_id)) e as k"
    sql = _sql(
        f"""select q.amount from (select o.amount, o.customer_id from {repeated}) q
        join shop.customers c on q.customer_id = c.customer_id""",
        orders=10,
    )
    assert "BROADCAST" not in sql


def test_rows_that_differ_by_what_is_generated_are_not_bounded() -> None:
    """Each row gives several different ones."""
    scan = Scan("`shop`.`orders`", "o", (("a", "a"),), At.CHANGES)
    rows = Generate(scan, exp.Explode(this=column("a")), ("k",))
    bounds = Bounds({scan.relation: 10})
    assert bounds.of(Distinct(Project(rows, passed(("a", "k"))))) is None
    assert bounds.of(Distinct(Project(rows, passed(("a",))))) == 10


def test_written_elements_bound_the_rows_that_they_become() -> None:
    scan = Scan("`shop`.`orders`", "o", (("a", "a"),), At.CHANGES)
    bounds = Bounds({scan.relation: 10})
    assert bounds.of(both_sides(scan)) == 20
    none = exp.Explode(this=exp.Anonymous(this="array", expressions=[]))
    assert bounds.of(Generate(scan, none, ("k",))) == 0
    assert bounds.of(Generate(scan, none, ("k",), outer=True)) == 10
    assert bounds.of(Generate(scan, exp.Explode(this=column("a")), ("k",))) is None


def test_materialized_relations_pass_their_bounds_on() -> None:
    scan = Scan("`shop`.`orders`", "o", (("a", "a"),), At.CHANGES)
    rows = Project(Generate(scan, exp.Explode(this=column("a")), ("k",)), passed(("a",)))
    kept = Materialized("kept", rows)
    bounds = Bounds({scan.relation: 10}).with_materialized((kept,))
    assert bounds.of(kept.scan) is None
    assert bounds.of(Aggregate(kept.scan, passed(("a",)), ())) == 10
    met = Join((kept.scan, Scan("`shop`.`parts`", "p", (("b", "b"),), At.POST)), ())
    assert bounds.of(Aggregate(met, passed(("a",)), ())) == 10
    assert bounds.of(Aggregate(met, passed(("b",)), ())) is None
    both = UnionAll((Project(met, passed(("a",))), Project(kept.scan, passed(("a",)))))
    assert bounds.of(Aggregate(both, passed(("a",)), ())) == 20


def test_likely_rows_are_those_of_the_changes_that_a_relation_reads() -> None:
    change, partner = Scan("`s`", "s", (("k", "k"),), At.CHANGES), Scan("`p`", "p", (("j", "k"),))
    joined = Join((change, partner), (exp.EQ(this=column("k"), expression=column("j")),))
    over = Join((Scan("m2", "m", (("k", "k"),), At.TEMPORARY), partner))
    relations = (Materialized("m1", change), Materialized("m2", joined), Materialized("m3", over))
    bounds = Bounds({"`s`": 400}).with_materialized((*relations, Materialized("m4", partner)))
    assert [bounds.likely(f"m{n}") for n in range(1, 6)] == [300, 900, 2_700, None, None]


def test_a_join_has_no_more_keys_than_the_change_that_they_come_from() -> None:
    change, partner = Scan("`s`", "s", (("k", "k"),), At.CHANGES), Scan("`p`", "p", (("j", "k"),))
    bounds = Bounds({"`s`": 400}).with_materialized((Materialized("m", Join((change, partner))),))
    stored = Scan("m", "m", (("a", "k"), ("b", "j")), At.TEMPORARY)
    assert bounds.different_in(stored, {"a"}) == 400
    assert bounds.different_in(stored, {"b"}) is None
    assert bounds.different_in(stored, {"a", "b"}) is None
