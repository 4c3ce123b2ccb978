"""Calls of the clock move into filters and projections, and mean there what they meant before."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Project
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG


def projected(call: str) -> list[str]:
    """The values that are computed below an aggregate."""
    root = build_view(f"select note, {call} as x from orders group by note", CATALOG).root
    items = (item for node in walk(root) if isinstance(node, Project) for item in node.items)
    found = [to_sql(i.expression) for i in items if i.name.startswith("__ivm_at_")]
    return [text.replace("`orders_", "`") for text in found]


def test_a_value_is_computed_for_no_row_that_filter_leaves_out() -> None:
    past = "`ordered_on` < current_date()"
    value = "1 / datediff(current_date(), `ordered_on`)"
    call = (
        "sum(1 / datediff(current_date(), ordered_on)) filter (where ordered_on < current_date())"
    )
    assert projected(call) == [f"CASE WHEN {past} THEN {value} END", past]


def test_a_value_without_filter_stays_as_it_is() -> None:
    assert projected("max(least(ordered_on, current_date()))") == [
        "least(`ordered_on`, current_date())"
    ]


P = "with p as (select current_date() - 2 as since), q as (select since, since + 1 as next from p) "


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("select note from orders, p where ordered_on >= since",
         "`ordered_on` >= current_date() - 2"),
        ("select note from orders join q on ordered_on between since and next",
         "BETWEEN current_date() - 2 AND current_date() - 2 + 1"),
        ("select note, sum(case when ordered_on < since then 1 end) as n from orders cross join p "
         "group by note", "CASE WHEN `orders`.`ordered_on` < current_date() - 2"),
        ("select ordered_on < since as past from orders left join customers using (customer_id) "
         "cross join p", "`ordered_on` < current_date() - 2 AS `past`"),
        ("select note from orders where ordered_on > (select next from q)",
         "`ordered_on` > current_date() - 2 + 1"),
    ],
)  # fmt: skip
def test_a_parameter_is_used_where_it_is_compared(query: str, part: str) -> None:
    view = build_view(P + query, CATALOG)
    text = to_sql(render(view.root, bind_plain))
    assert part in text
    assert "since" not in text.replace("AS `past`", "")
    assert {to_sql(constant)[:14] for constant in view.clock} == {"current_date()"}


def test_a_parameter_of_the_optional_side_is_not_used_above_the_join() -> None:
    query = "select note, ordered_on > since as x from orders left join p on note = 'a'"
    text = to_sql(render(build_view(P + query, CATALOG).root, bind_plain))
    assert "> `q_2`.`since`" in text or "`since` AS" in text


def test_a_group_key_stays_a_column() -> None:
    query = "select since, count(*) as n from orders cross join p group by since"
    text = to_sql(render(build_view(P + query, CATALOG).root, bind_plain))
    assert "GROUP BY current_date()" not in text
