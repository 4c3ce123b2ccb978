"""LATERAL subqueries: how they are written back, what they become, and which are refused."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.columns import free_columns
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Join,
    Lateral,
    OuterJoin,
    Window,
)
from dbt.adapters.ivm_spark.sql.build import View, build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG
from tests.unit.sql.refused import check_refused

TIED = "from orders o where o.customer_id = c.customer_id"


def _view(rest: str, items: str = "c.name, l.x") -> View:
    return build_view(f"select {items} from customers c {rest}", CATALOG)


def _rewritten(rest: str, items: str = "c.name, l.x") -> str:
    return to_sql(render(_view(rest, items).root, bind_plain))


def test_a_lateral_subquery_is_written_back_as_it_was() -> None:
    view = _view(f"left join lateral (select o.amount as x {TIED}) l on l.x > 1")
    assert to_sql(render(view.written, bind_plain)).endswith(
        "FROM `shop`.`customers` AS `c` LEFT JOIN LATERAL (SELECT `o`.`amount` AS `x` FROM "
        "`shop`.`orders` AS `o` WHERE `o`.`customer_id` = `c`.`customer_id`) AS `q` "
        "ON `q`.`x` > 1"
    )


def test_a_computed_value_becomes_a_column_before_a_subquery_reads_it() -> None:
    """If it were inlined, Spark would plan it again for every row around."""
    count = "(select count(*) from orders p where p.customer_id = d.customer_id)"
    view = build_view(
        f"select l.x from (select {count} as n, d.customer_id + 1 as k from customers d) c, "
        "lateral (select o.note as x from orders o where o.order_id = c.n and o.order_id < c.k) l",
        CATALOG,
    )
    text = to_sql(render(view.written, bind_plain))
    assert text.count("count(1)") == 1
    assert "`o`.`order_id` = `q`.`n` AND `o`.`order_id` < `q`.`k`" in text


def test_a_subquery_that_is_a_key_is_a_column_first() -> None:
    count = "(select count(*) from orders p where p.customer_id = c.customer_id)"
    view = build_view(
        f"select n, max(k) as m from (select {count} as n, c.name as k from customers c) "
        "where n > 1 group by n",
        CATALOG,
    )
    assert to_sql(render(view.written, bind_plain)).count("count(1)") == 1


@pytest.mark.parametrize(
    ("rest", "kinds", "not_kinds"),
    [
        (f", lateral (select o.note as x {TIED}) l", (Join,), (OuterJoin, Aggregate)),
        (f"left join lateral (select o.note as x {TIED}) l on true", (OuterJoin,), (Join,)),
        (f"cross join lateral (select max(o.note) as x {TIED}) l", (OuterJoin, Aggregate), (Join,)),
        (f", lateral (select o.note as x {TIED} group by o.note) l", (Join, Aggregate), ()),
        (f", lateral (select distinct o.note as x {TIED}) as l", (Join, Distinct), ()),
        (
            f", lateral (select o.amount as x {TIED} order by o.amount limit 3) l",
            (Join, Window),
            (),
        ),
        (", lateral (select max(o.note) as x from orders o) l", (Join, Aggregate), (OuterJoin,)),
        (", lateral (select upper(c.segment) as x) l", (), (Join, OuterJoin)),
    ],
)
def test_a_lateral_subquery_becomes_plain_operators(
    rest: str, kinds: tuple[type, ...], not_kinds: tuple[type, ...]
) -> None:
    view = _view(rest)
    assert any(isinstance(node, Lateral) for node in walk(view.written))
    found = {type(node) for node in walk(view.root)}
    assert found >= set(kinds)
    assert not found & {Lateral, *not_kinds}
    assert not free_columns(view.root)


def test_an_aggregate_over_no_rows_has_its_row() -> None:
    text = _rewritten(f", lateral (select count(*) + 1 as x {TIED}) l")
    assert "COALESCE(`q`.`count`, 0) + 1 AS `x_2`" in text
    assert "LEFT JOIN" in text


@pytest.mark.parametrize(
    ("join", "rows"),
    [
        (", lateral (select count(*) as x {} having count(*) <> 2) l", "WHERE COALESCE"),
        ("join lateral (select count(*) as x {}) l on l.x > 2", "WHERE COALESCE"),
        ("left join lateral (select count(*) as x {}) l on l.x > 2", "CASE WHEN COALESCE"),
    ],
)
def test_a_condition_on_the_only_row_follows_the_kind_of_join(join: str, rows: str) -> None:
    """An inner join drops the row before it, a left join keeps it with NULLs."""
    assert rows in _rewritten(join.format(TIED))


def test_a_value_of_both_sides_is_null_where_a_left_join_has_no_row() -> None:
    text = _rewritten(f"left join lateral (select coalesce(o.note, c.name) as x {TIED}) l on true")
    assert "CASE WHEN NOT `q`.`__ivm_lateral_there` IS NULL THEN coalesce(" in text


def test_a_lateral_subquery_sees_the_one_before_it() -> None:
    text = _rewritten(
        ", lateral (select c.customer_id + 1 as y) k, lateral (select k.y * 2 as x) l"
    )
    assert "JOIN" not in text


def test_a_limit_counts_the_rows_of_each_value() -> None:
    text = _rewritten(
        f", lateral (select o.amount as x {TIED} order by o.amount desc limit 2 offset 1) l"
    )
    assert "row_number() OVER (PARTITION BY `o`.`customer_id` ORDER BY `o`.`amount` DESC" in text
    assert "`__ivm_lateral_place_0` > 1" in text
    assert "`__ivm_lateral_place_0` <= 3" in text


def test_a_window_in_a_lateral_subquery_is_partitioned_by_the_outer_key() -> None:
    text = _rewritten(
        ", lateral (select row_number() over (partition by o.note order by o.amount) as x "
        f"{TIED}) l"
    )
    assert "PARTITION BY `o`.`note`, `o`.`customer_id`" in text


def test_a_scalar_subquery_with_limit_1_is_a_left_join() -> None:
    text = _rewritten("", f"(select o.amount {TIED} order by o.amount limit 1) as x")
    assert "LEFT JOIN" in text
    assert "<= 1" in text


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        (f", lateral (select o.note as x {TIED} limit 1) l", "without ORDER BY"),
        (f", lateral (select o.note as x {TIED} order by o.amount limit 1) l", "not selected"),
        (", lateral (select o.note as x from orders o where o.customer_id < c.customer_id "
         "order by o.note limit 1) l", "other than equality"),
        (", lateral (select max(o.note) as x from orders o where o.customer_id < c.customer_id) l",
         "other than equality"),
        (f", lateral (select sum(o.amount + c.customer_id) as x {TIED}) l", "outer column"),
        (f", lateral (select o.note as x {TIED} union all select c.name) l", "UnionAll"),
        (f"left join lateral (select o.note as x {TIED}) l on l.x in (select name from customers)",
         "in the ON"),
        (" left join lateral explode(array(1, 2)) as l(x) on true", "table function"),
    ],
)  # fmt: skip
def test_refused(rest: str, names: str) -> None:
    check_refused(f"select c.name, l.x from customers c {rest}", "OPERATOR_NOT_SUPPORTED", names)
