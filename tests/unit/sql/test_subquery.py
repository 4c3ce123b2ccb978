"""Subqueries: how they are written back, what they become, and which are refused."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.columns import free_columns
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Join,
    Mark,
    OuterJoin,
    ScalarSubquery,
    SemiJoin,
    UnionAll,
)
from dbt.adapters.ivm_spark.sql.build import View, build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG
from tests.unit.sql.refused import check_refused

C = "customers c"
O = "orders o"  # noqa: E741
TIED = "o.customer_id = c.customer_id"


def _view(sql: str) -> View:
    return build_view(sql, CATALOG)


def _written(sql: str) -> str:
    return to_sql(render(_view(sql).written, bind_plain))


def _has(sql: str, kind: type) -> bool:
    return any(isinstance(node, kind) for node in walk(_view(sql).root))


@pytest.mark.parametrize(
    ("query", "part"),
    [
        (f"select c.name from {C} where c.customer_id > (select max(o.order_id) from {O})",
         "> (SELECT max(`o`.`order_id`)"),
        (f"select c.name from {C} where c.customer_id = (select 2 * max(o.order_id) from {O} "
         f"where {TIED})",
         "(SELECT 2 * max(`o`.`order_id`) AS `col_0` FROM `shop`.`orders` AS `o` WHERE "
         "`o`.`customer_id` = `c`.`customer_id`)"),
        (f"select c.name, (select count(*) from {O} where {TIED}) as n from {C}",
         "(SELECT count(1) AS `col_0_2` FROM"),
        (f"select c.name from {C} where c.customer_id not in (select o.customer_id from {O})",
         "NOT (`c`.`customer_id`) IN (SELECT"),
        (f"select c.name from {C} where c.name = 'a' or exists (select 1 from {O} where {TIED})",
         "OR EXISTS(SELECT 1"),
        (f"select c.name from {C} where (c.customer_id, c.name) in "
         f"(select o.customer_id, o.note from {O})",
         "(`c`.`customer_id`, `c`.`name`) IN (SELECT"),
    ],
)  # fmt: skip
def test_a_subquery_is_written_back_as_it_was(query: str, part: str) -> None:
    text = _written(query)
    assert part.split(" AS `count_1`")[0] in text


def test_the_tree_as_written_keeps_subqueries_and_the_rewritten_one_has_none() -> None:
    view = _view(
        f"select c.name, (select max(o.amount) from {O} where {TIED}) as m from {C} "
        f"where c.name = 'a' or exists (select 1 from {O} where {TIED})"
    )
    assert {type(n) for n in walk(view.written)} >= {ScalarSubquery, Mark}
    assert not {type(n) for n in walk(view.root)} & {ScalarSubquery, Mark}
    assert not free_columns(view.root)


@pytest.mark.parametrize(
    ("query", "kinds", "not_kinds"),
    [
        (f"select c.name from {C} where c.customer_id > (select max(o.order_id) from {O})",
         (Join,), (OuterJoin,)),
        (f"select c.name from {C} where c.customer_id > (select max(o.order_id) from {O} "
         f"where {TIED})", (Join,), (OuterJoin,)),
        (f"select c.name, (select max(o.order_id) from {O} where {TIED}) as m from {C}",
         (OuterJoin,), ()),
        (f"select c.name from {C} where (select count(*) from {O} where {TIED}) = 0",
         (OuterJoin,), (Join,)),
        (f"select c.name from {C} where exists (select 1 from {O} where {TIED})",
         (SemiJoin,), (UnionAll,)),
        (f"select c.name from {C} where c.name = 'a' or exists (select 1 from {O} where {TIED})",
         (SemiJoin, UnionAll), ()),
        (f"select c.name from {C} where exists (select 1 from {O})",
         (Join, Aggregate), (SemiJoin,)),
    ],
)  # fmt: skip
def test_a_subquery_becomes_plain_operators(
    query: str, kinds: tuple[type, ...], not_kinds: tuple[type, ...]
) -> None:
    assert all(_has(query, kind) for kind in kinds)
    assert not any(_has(query, kind) for kind in not_kinds)


def test_a_subquery_in_the_on_of_an_inner_join_moves_to_where() -> None:
    """Also below an outer join, which reads only the rows that the inner join keeps."""
    condition = "o.amount > (select max(p.amount) from orders p)"
    joined = f"select c.name from {C} join {O} on {TIED} and {condition}"
    written = f"select c.name from {C} join {O} on {TIED} where {condition}"
    assert _written(joined) == _written(written)
    root = _view(f"{joined} right join customers d on d.name = o.note").root
    (outer,) = (n for n in walk(root) if isinstance(n, OuterJoin))
    assert any(isinstance(n, Filter) for n in walk(outer.left))
    assert outer.side == "RIGHT"


def test_a_count_of_no_rows_is_zero() -> None:
    root = _view(f"select (select count(*) from {O} where {TIED}) as n from {C}").root
    assert "COALESCE" in to_sql(render(root, bind_plain))


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        (f"c.customer_id = (select o.order_id from {O})", "several rows"),
        (f"c.customer_id = (select o.order_id from {O} limit 1)", "several rows"),
        (f"c.customer_id = (select o.order_id from {O} where {TIED})", "without an aggregate"),
        (f"c.customer_id = (select max(o.order_id) from {O} where {TIED} group by o.note)",
         "without an aggregate"),
        (f"c.customer_id = (select max(o.order_id) from {O} where o.customer_id < c.customer_id)",
         "other than equality"),
        (f"c.customer_id = (select collect_list(o.order_id)[0] from {O} where {TIED})",
         "collect_list"),
        (f"c.customer_id = (select max(o.order_id + c.customer_id) from {O} where {TIED})",
         "outer column"),
        (f"exists (select 1 from {O} where o.customer_id < c.customer_id "
         "group by o.note having count(*) > 1)", "other than equality"),
        (f"exists (select 1 from (select o.note from {O} where {TIED} union all "
         f"select 'a' from {O}) x where x.note = 'a')", "UnionAll"),
        (f"exists (select 1 from {O} left join orders p on p.order_id = c.customer_id)", "WHERE"),
        (f"(c.customer_id in (select o.customer_id from {O})) is null", "as a value"),
    ],
)  # fmt: skip
def test_refused_conditions(condition: str, names: str) -> None:
    check_refused(f"select c.name from {C} where {condition}", "OPERATOR_NOT_SUPPORTED", names)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (f"select c.name, c.customer_id in (select o.customer_id from {O}) as x from {C}",
         "as a value"),
        (f"select c.name from {C} order by (select max(o.order_id) from {O})", "subquery"),
        (f"select c.name from {C} left join {O} on {TIED} and o.amount > (select max(amount) from "
         "orders)", "in the ON of a LEFT JOIN"),
        (f"select c.name from {C} left semi join {O} on {TIED} and o.note in (select name from "
         "customers)", "in the ON of a LEFT SEMI JOIN"),
        (f"select (select max(o.order_id) from {O}) as m, count(*) as n from {C} group by all",
         "GROUP BY a subquery"),
    ],
)  # fmt: skip
def test_refused_places(query: str, names: str) -> None:
    check_refused(query, "OPERATOR_NOT_SUPPORTED", names)


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("select name from customers where customer_id > (select 2)", "> 2"),
        ("select (select c.customer_id + 1) as x from customers c", "customer_id` + 1 AS `x`"),
        ("with p as (select 3 as least) select name from customers where customer_id > "
         "(select least from p)", "> 3"),
        ("select name from customers where customer_id > (select x from values (4) v(x))", "> 4"),
        ("select name, (select 'a' where customer_id > 1) as x from customers",
         "CASE WHEN `customers`.`customer_id` > 1 THEN 'a' END AS `x`"),
        ("select order_id from orders where ordered_on > (select current_date() - 3)",
         "> current_date() - 3"),
    ],
)  # fmt: skip
def test_a_subquery_of_one_row_of_the_text_is_its_value(query: str, value: str) -> None:
    view = _view(query)
    assert "(SELECT" in _written(query), "Spark compares it as written"
    assert value in to_sql(render(view.root, bind_plain))
    assert not _has(query, Join)
    assert not _has(query, OuterJoin)


def test_a_subquery_of_two_rows_of_the_text_is_refused() -> None:
    two = "select name from customers where customer_id > (select x from values (4), (5) as v(x))"
    check_refused(two, "OPERATOR_NOT_SUPPORTED", "several rows")


@pytest.mark.parametrize(
    ("condition", "meant"),
    [
        ("name = 'c' or not ({0} or name = 'a')", "name = 'c' or (not {0} and not name = 'a')"),
        ("not ({0} and name = 'a')", "not {0} or not name = 'a'"),
        ("not (name = 'a' or not ({0} or name = 'b'))", "not name = 'a' and ({0} or name = 'b')"),
        ("not (not {0})", "{0}"),
    ],
)
def test_not_goes_before_each_part_of_a_condition(condition: str, meant: str) -> None:
    among = "customer_id in (select o.customer_id from orders o)"
    texts = [
        _written(f"select name from customers where {c.format(among)}").replace("(", "")
        for c in (condition, meant)
    ]
    assert texts[0].replace(")", "") == texts[1].replace(")", "")


def test_a_filter_of_literals_stays_below_the_join() -> None:
    found = _written(
        "select o.note, v.l from orders o join (select * from values (1, 'a'), (2, 'b') as t(k, l) "
        "where k > 1) v on v.k = o.order_id"
    )
    assert "WHERE `v`.`k` > 1) AS" in found
