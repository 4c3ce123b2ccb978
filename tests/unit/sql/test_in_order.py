"""Aggregates that depend on the order of rows get a fixed order below another operator."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Node, Window
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.delta.type_checks import aggregates_to_order, check_types
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.rewrite.in_order import with_aggregates_in_order
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.layout import below_state
from tests.unit.golden.shop import CATALOG

OUTER = "select segment, t.* from customers c join (select customer_id, {call} as x, count(*) as n "
OUTER += "from orders group by customer_id) t on t.customer_id = c.customer_id"


@pytest.mark.parametrize("function", ["first", "last", "any_value", "first_value", "last_value"])
@pytest.mark.parametrize("nulls", ["ignore nulls", "respect nulls"])
def test_a_pick_keeps_what_it_does_with_nulls(function: str, nulls: str) -> None:
    sql = OUTER.format(call=f"{function}(note) {nulls}")
    root = with_aggregates_in_order(_root(sql), _names(sql, "string"))
    assert f"{nulls.upper()} OVER (PARTITION BY" in to_sql(render(root, bind_plain))


def _root(sql: str) -> Node:
    return build_view(sql, CATALOG).root


def _types(kind: str) -> dict[str, str]:
    class Types(dict[str, str]):
        def __missing__(self, name: str) -> str:
            return kind if name.startswith("x") else "bigint"

    return Types()


def _names(sql: str, kind: str) -> tuple[str, ...]:
    return aggregates_to_order(below_state(_root(sql)), lambda _: _types(kind))


@pytest.mark.parametrize(
    ("call", "kind", "windowed"),
    [
        ("sum(amount)", "double", "sum(amount) over (partition by customer_id order by amount"),
        ("collect_list(note)", "array<string>", "collect_list(note) over (partition by"),
        ("first(note)", "string", "first(note) over"),
        ("max_by(note, amount)", "string", "order by amount, note rows"),
        (
            "sum(amount) filter (where note = 'a')",
            "double",
            "sum(case when note = 'a' then amount end)",
        ),
        ("collect_set(distinct note)", "array<string>", "collect_set(note) over (partition by"),
        ("collect_list(distinct note)", "array<string>", "collect_set(note) over (partition by"),
        (
            "collect_list(distinct note) filter (where amount > 1)",
            "array<string>",
            "collect_set(case when amount > 1 then note end) over",
        ),
    ],
)
def test_one_order_for_all_rows_of_a_group(call: str, kind: str, windowed: str) -> None:
    sql = OUTER.format(call=call)
    names = _names(sql, kind)
    assert names == ("x",)
    root = with_aggregates_in_order(_root(sql), names)
    assert root.columns == _root(sql).columns
    (group,) = (n for n in walk(root) if isinstance(n, Aggregate))
    assert isinstance(group.input, Window)
    text = to_sql(render(group, bind_plain)).replace("`", "").replace("orders.", "").lower()
    assert windowed in text
    assert "rows between unbounded preceding and unbounded following" in text
    assert "min(" in text


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("sum(amount)", "decimal(20,2)"),  # exact
        ("max(amount)", "double"),  # the same in any order
        ("sum(distinct amount)", "double"),  # windows have no DISTINCT
        ("percentile_cont(0.5) within group (order by amount)", "double"),
    ],
)
def test_other_aggregates_stay_as_they_are(call: str, kind: str) -> None:
    assert _names(OUTER.format(call=call), kind) == ()


def test_a_group_without_keys_stays_as_it_is() -> None:
    sql = "select count(*) as n from customers cross join (select sum(amount) as x from orders) t"
    assert _names(sql + " where t.x > 1", "double") == ()


def test_the_stored_groups_stay_as_they_are() -> None:
    sql = "select customer_id, collect_list(note) as x from orders group by customer_id"
    assert _names(sql, "array<string>") == ()


@pytest.mark.parametrize(
    "call",
    [
        "listagg(note, ',') within group (order by note)",
        "string_agg(note) within group (order by amount, note desc)",
        "listagg(distinct note) within group (order by note)",
        "listagg(note) within group (order by note) filter (where amount > 1)",
    ],
)
def test_a_list_in_the_order_of_its_values_needs_no_other_order(call: str) -> None:
    sql = OUTER.format(call=call)
    assert _names(sql, "string") == ()
    context = Context(frozenset({"`shop`.`orders`", "`shop`.`customers`"}))
    assert delta(_root(sql), context) is not None


def test_a_list_in_another_order_is_refused_below_a_join() -> None:
    sql = OUTER.format(call="listagg(note, ',') within group (order by amount)")
    with pytest.raises(NotMaintained, match="listagg"):
        delta(_root(sql), Context(frozenset({"`shop`.`orders`"})))


@pytest.mark.parametrize(
    "call", ["median(amount)", "percentile(distinct amount, 0.5)", "percentile(amount, 0.1)",
             "percentile_cont(0.5) within group (order by amount)"]
)  # fmt: skip
@pytest.mark.parametrize(("kind", "exact"), [("bigint", True), ("double", False)])
def test_percentiles_of_exact_numbers_are_exact(call: str, kind: str, exact: bool) -> None:
    def described(node: Node) -> dict[str, str]:
        return {n: "double" if n.startswith("x") else kind for n in node.columns}

    root = _root(OUTER.format(call=call))
    if exact:
        check_types(below_state(root), described)
        return
    with pytest.raises(NotMaintained, match="float"):
        check_types(below_state(root), described)
