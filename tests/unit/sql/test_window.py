"""Window functions: how they are read, written back, and given one answer."""

from __future__ import annotations

import re

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Window
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG
from tests.unit.sql.refused import check_refused


def _written(query: str) -> str:
    return to_sql(render(build_view(query, CATALOG).written, bind_plain))


def _maintained(over: str) -> list[str]:
    """The windows of the maintained tree, innermost first, over orders' columns."""
    root = build_view(f"select order_id, {over} as x from orders", CATALOG).root
    windows = [node for node in walk(root) if isinstance(node, Window)]
    items = [to_sql(item.expression) for node in reversed(windows) for item in node.items]
    return [re.sub(r"`(orders_)?|__ivm_each_", "", item) for item in items]


@pytest.mark.parametrize(
    "over",
    [
        "(PARTITION BY `orders`.`customer_id` ORDER BY `orders`.`amount`)",
        "(PARTITION BY `orders`.`customer_id` ORDER BY `orders`.`amount` DESC)",
        "(PARTITION BY `orders`.`customer_id` ORDER BY `orders`.`amount` DESC NULLS FIRST)",
        "(PARTITION BY `orders`.`customer_id` ORDER BY `orders`.`amount` NULLS LAST)",
    ],
)
def test_the_order_of_nulls_is_written_back(over: str) -> None:
    assert over in _written(f"select order_id, rank() over {over} as r from orders")


def test_a_filter_on_a_window_is_not_written_into_its_block() -> None:
    sql = _written(
        "select n from (select order_id, count(*) over (partition by customer_id) as n from orders"
        " where amount > 1) where n > 2"
    )
    inner, outer = sql.rsplit(")", 1)
    assert "`amount` > 1" in inner
    assert "> 2" in outer


@pytest.mark.parametrize(
    "query",
    [
        "select max(n) as x from (select rank() over (partition by note order by amount) as n"
        " from orders)",
        "select o.n, c.name from (select customer_id, rank() over (partition by note order by"
        " amount) as n from orders) o left join customers c on o.customer_id = c.customer_id",
        "select n, tag from (select rank() over (partition by user_id order by seconds) as n, tags"
        " from clicks) lateral view explode(tags) t as tag",
        "select x, rank() over (partition by x order by x) as y from (select rank() over"
        " (partition by note order by amount) as x from orders)",
    ],
)
def test_what_changes_the_rows_of_a_window_is_written_around_it(query: str) -> None:
    assert "FROM (SELECT" in _written(query)


def test_windows_over_the_same_rows_share_a_block() -> None:
    sql = _written(
        "select sum(amount) over a as x, rank() over b as y from orders"
        " window a as (partition by note), b as (partition by customer_id order by amount), c as a"
    )
    assert sql.count("SELECT") == 1
    assert "OVER (PARTITION BY `orders`.`customer_id` ORDER BY `orders`.`amount`)" in sql


def test_windows_that_nothing_needs_are_not_computed() -> None:
    sql = _written(
        "select order_id from (select *, rank() over (partition by note order by amount) from"
        " orders)"
    )
    assert sql == "SELECT `orders`.`order_id` AS `order_id_2` FROM `shop`.`orders` AS `orders`"


P = "PARTITION BY customer_id"
WHOLE = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


@pytest.mark.parametrize(
    ("over", "maintained"),
    [
        # the place of the row: any order of equal rows is an answer
        (f"row_number() over ({P} order by note)",
         [f"row_number() OVER ({P} ORDER BY note, order_id)"]),
        (f"lag(amount) over ({P} order by note desc)",
         [f"lag(amount) OVER ({P} ORDER BY note DESC, order_id, amount)"]),
        (f"ntile(2) over ({P} order by order_id)", [f"ntile(2) OVER ({P} ORDER BY order_id)"]),
        (f"sum(amount) over ({P} order by note rows 2 preceding)",
         [f"sum(amount) OVER ({P} ORDER BY note, order_id, amount rows BETWEEN 2 preceding AND"
          " CURRENT ROW)"]),
        # equal rows have equal results: a longer order would part them
        (f"rank() over ({P} order by note)", [f"rank() OVER ({P} ORDER BY note)"]),
        (f"cume_dist() over ({P} order by note)", [f"cume_dist() OVER ({P} ORDER BY note)"]),
        # the order says nothing
        (f"count(*) over ({P} order by note)", [f"count(1) OVER ({P} ORDER BY note)"]),
        (f"max(amount) over ({P})", [f"max(amount) OVER ({P})"]),
        (f"median(amount) over ({P})", [f"median(amount) OVER ({P})"]),
        # the whole partition in a certain order
        (f"sum(amount) over ({P})",
         [f"sum(amount) OVER ({P} ORDER BY order_id, amount {WHOLE})"]),
        (f"last_value(amount) over ({P} order by note range between unbounded preceding and"
         " unbounded following)",
         [f"last_value(amount) OVER ({P} ORDER BY note, order_id, amount {WHOLE})"]),
        # the first of all rows
        (f"first_value(amount) over ({P} order by note)",
         [f"first_value(amount) OVER ({P} ORDER BY note, order_id, amount)"]),
        # the value of the last among the equal rows
        (f"sum(amount) over ({P} order by note)",
         [f"sum(amount) OVER ({P} ORDER BY note, order_id, amount)",
          f"last_value(x) OVER ({P}, note ORDER BY order_id, amount {WHOLE})"]),
        (f"nth_value(amount, 2) over ({P} order by note)",
         [f"nth_value(amount, 2) OVER ({P} ORDER BY note, order_id, amount)",
          f"last_value(x) OVER ({P}, note ORDER BY order_id, amount {WHOLE})"]),
        # no two rows are equal but full duplicates
        (f"sum(amount) over ({P} order by order_id, amount)",
         [f"sum(amount) OVER ({P} ORDER BY order_id, amount)"]),
    ],
)  # fmt: skip
def test_ties_are_broken_if_the_result_depends_on_them(over: str, maintained: list[str]) -> None:
    assert _maintained(over) == maintained


def test_an_order_by_group_keys_is_not_extended() -> None:
    root = build_view(
        "select customer_id, note, row_number() over (partition by customer_id order by note) as n,"
        " sum(sum(amount)) over (partition by customer_id order by note) as so_far"
        " from orders group by customer_id, note",
        CATALOG,
    ).root
    sql = to_sql(render(root, bind_plain))
    assert sql.count("ORDER BY `q`.`note`)") == 2


@pytest.mark.parametrize(
    ("query", "code", "names"),
    [
        ("select rank() over (order by amount) as r from orders",
         "WINDOW_WITHOUT_PARTITION_BY", "rank"),
        ("select sum(amount) over (partition by 1) as r from orders",
         "WINDOW_WITHOUT_PARTITION_BY", "sum"),
        ("select rank() over w as r from orders window w as (order by amount)",
         "WINDOW_WITHOUT_PARTITION_BY", "rank"),
        ("select rank() over w as r from orders window v as (partition by note)",
         "QUERY_NOT_UNDERSTOOD", "window w"),
        ("select sum(amount) over (w rows 2 preceding) as r from orders"
         " window w as (partition by note order by amount)", "QUERY_NOT_UNDERSTOOD", "window w"),
        ("select order_id from orders where rank() over (partition by note order by amount) = 1",
         "OPERATOR_NOT_SUPPORTED", "in this clause"),
        ("select order_id from orders order by rank() over (partition by note order by amount)",
         "OPERATOR_NOT_SUPPORTED", "in this clause"),
        ("select order_id from orders qualify rank() over (partition by note order by amount) = 1",
         "OPERATOR_NOT_SUPPORTED", "QUALIFY"),
        ("select rank() as r from orders", "OPERATOR_NOT_SUPPORTED", "without OVER"),
        ("select upper(note) over (partition by note) as r from orders",
         "QUERY_NOT_UNDERSTOOD", "upper"),
        ("select my_rank() over (partition by note) as r from orders",
         "QUERY_NOT_UNDERSTOOD", "my_rank"),
        ("select sum(rank() over (partition by note order by amount)) over (partition by note)"
         " as r from orders", "QUERY_NOT_UNDERSTOOD", "a window in a window"),
        ("select sum(amount) over (partition by note order by order_id groups 1 preceding) as r"
         " from orders", "OPERATOR_NOT_SUPPORTED", "groups"),
        ("select listagg(note) within group (order by amount) over (partition by note) as r"
         " from orders", "OPERATOR_NOT_SUPPORTED", "WITHIN GROUP"),
        ("select last_value(amount) over (partition by note order by order_id range between"
         " current row and 2 following) as r from orders", "OPERATOR_NOT_SUPPORTED", "RANGE"),
        ("select corr(amount, order_id) over (partition by note order by customer_id) as r"
         " from orders", "OPERATOR_NOT_SUPPORTED", "corr"),
        ("select approx_percentile(amount, 0.5) over (partition by note order by customer_id) as r"
         " from orders", "OPERATOR_NOT_SUPPORTED", "approx_percentile"),
        ("select rank() over (partition by rand() order by amount) as r from orders",
         "WINDOW_WITHOUT_PARTITION_BY", ""),
        ("select rank() over (partition by note order by rand()) as r from orders",
         "EXPRESSION_NOT_DETERMINISTIC", "rand"),
        ("select note, rank() over (partition by note order by note) as r from orders"
         " group by all", "OPERATOR_NOT_SUPPORTED", "GROUP BY a window"),
    ],
)  # fmt: skip
def test_refusals(query: str, code: str, names: str) -> None:
    check_refused(query, code, names)
