"""Joins in parentheses, and joins by USING after each other."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG


def _sql(query: str) -> str:
    """The query as it is written back for the comparison of plans."""
    return to_sql(render(build_view(query, CATALOG).written, bind_plain))


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("select order_id from (orders)", "select order_id from orders"),
        ("select order_id from ((orders))", "select order_id from orders"),
        ("select x.order_id from (orders) x", "select x.order_id from orders x"),
        ("select order_id from (table orders)", "select order_id from (select * from orders)"),
        ("table customers", "select * from customers"),
        ("select o.order_id from (orders o join customers c on c.name = o.note)",
         "select o.order_id from orders o join customers c on c.name = o.note"),
        ("select order_id from ((orders join customers using (customer_id)) join clicks on true)",
         "select order_id from orders join customers using (customer_id) join clicks on true"),
        ("select x.order_id from (orders join clicks on user_id = customer_id) x",
         "select x.order_id from (select * from orders join clicks on user_id = customer_id) x"),
    ],
)  # fmt: skip
def test_parentheses_that_mean_nothing(query: str, plain: str) -> None:
    assert _sql(query) == _sql(plain)


GROUP = "(customers c join clicks k on k.user_id = c.customer_id)"


@pytest.mark.parametrize("side", ["left", "right", "full"])
def test_a_group_is_joined_as_a_whole(side: str) -> None:
    sql = _sql(
        f"select o.note, c.name, k.seconds from orders o {side} join {GROUP} on c.name = o.note"
    )
    before, _, group = sql.partition(f"{side.upper()} JOIN (")
    assert "`customers`" not in before
    assert "`customers` AS `c` JOIN" in group
    assert group.endswith("ON `q`.`c_name` = `o`.`note`")


def test_a_group_in_a_group() -> None:
    inner = "(clicks k full join orders p on p.order_id = k.user_id)"
    sql = _sql(
        "select o.note, c.name, k.seconds, p.amount from orders o left join"
        f" (customers c left join {inner} on k.user_id = c.customer_id) on c.name = o.note"
    )
    assert sql.index("LEFT JOIN (") < sql.index("LEFT JOIN (", sql.index("LEFT JOIN (") + 1)
    assert sql.index("`customers`") < sql.index("`clicks`") < sql.index("FULL JOIN")


def test_semi_joins_of_a_group_hide_its_tables() -> None:
    sql = _sql(f"select order_id, note from orders o left semi join {GROUP} on c.name = o.note")
    assert "LEFT SEMI JOIN (SELECT" in sql


KEYS = "(select order_id as k from orders) {}"
A, B, C = (KEYS.format(alias) for alias in "abc")


@pytest.mark.parametrize(
    ("first", "second", "meant"),
    [
        ("", "", "a.k = c.k"),
        ("left", "full", "a.k = c.k"),
        ("right", "", "b.k = c.k"),
        ("right", "left", "b.k = c.k"),
        ("full", "left", "coalesce(a.k, b.k) = c.k"),
        ("full", "full", "coalesce(a.k, b.k) = c.k"),
    ],
)
def test_a_second_using_compares_the_column_that_the_first_merged(
    first: str, second: str, meant: str
) -> None:
    using = f"select c.k as x from {A} {first} join {B} using (k) {second} join {C} using (k)"
    on = f"select c.k as x from {A} {first} join {B} on a.k = b.k {second} join {C} on {meant}"
    if "coalesce" not in meant:
        assert _sql(using) == _sql(on)
        return
    # The merged column is a column below the second join, as it is in Spark.
    assert "COALESCE(`orders`.`order_id`, `orders_2`.`order_id`)" in _sql(using)
    assert _sql(using).count("COALESCE(") == 1


@pytest.mark.parametrize(
    ("joins", "meant"),
    [
        (f"{A} left join {B} using (k) left join {C} using (k)", "a.k"),
        (f"{A} left join {B} using (k) right join {C} using (k)", "c.k"),
        (f"{A} right join {B} using (k) join {C} using (k)", "b.k"),
    ],
)
def test_a_column_of_using_without_qualifier(joins: str, meant: str) -> None:
    assert _sql(f"select k as x from {joins}") == _sql(f"select {meant} as x from {joins}")


def test_a_merged_column_of_a_natural_join() -> None:
    rest = "full join (select order_id, name from customers join orders using (customer_id)) b"
    items = "select order_id as x, b.name from (select order_id from orders) a"
    assert _sql(f"{items} natural {rest}") == _sql(f"{items} {rest} using (order_id)")


def test_a_correlated_subquery_sees_the_merged_column() -> None:
    sql = _sql(
        f"select k as x from {A} full join {B} using (k)"
        " where exists (select 1 from clicks where user_id = k)"
    )
    assert "COALESCE" in sql.partition("WHERE")[0]
    assert "`clicks`.`user_id` = `q`." in sql
