"""Edits of a query: which of them keep a state, and what differs if they don't."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.columns import tree_expressions
from dbt.adapters.ivm_spark.algebra.moved import moves
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Distinct, Node
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.query_change import settled
from dbt.adapters.ivm_spark.delta.query_forms import OtherQuery
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.kept import KeptState, kept_state
from dbt.adapters.ivm_spark.state.layout import core_of, probe
from tests.unit.golden.shop import CATALOG, RELATIONS

SUMS = (
    "select c.segment, sum(o.amount) as revenue, count(*) as n from orders o "
    "join customers c on o.customer_id = c.customer_id where o.amount > 1 group by c.segment"
)
ROWS = (
    "select o.order_id, o.amount, c.segment from orders o "
    "left join customers c on c.customer_id = o.customer_id where o.amount > 1"
)
PADDED = (
    "select o.order_id, sum(r.x) as x from orders o left join "
    "(select customer_id, coalesce(length(name), 0) as x from customers) r "
    "on r.customer_id = o.customer_id group by o.order_id"
)
BOTH = "select order_id as id, note as t from orders union all select user_id, 'c' from clicks"


def _tree(sql: str) -> tuple[Node, dict[str, str]]:
    root = build_view(sql, CATALOG).root
    return root, dict.fromkeys(probe(root).columns, "a type")


def _kept(before: str, after: str) -> KeptState:
    (old, old_types), (new, new_types) = _tree(before), _tree(after)
    return kept_state(old, None, old_types, new, new_types)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SUMS, SUMS.replace("as revenue", "as r")),
        (SUMS, SUMS + " having count(*) > 3 order by revenue"),
        (SUMS, SUMS.replace("sum(o.amount)", "round(sum(o.amount), 1)")),
        (SUMS, SUMS.replace("o.amount > 1", "(o.amount > 1)")),
        (SUMS, SUMS.replace(" where o.amount > 1", " and o.amount > 1")),
        (SUMS, SUMS.replace("orders o", "(select * from orders where amount > 1) o")
         .replace(" where o.amount > 1", "")),
        (ROWS, ROWS.replace("o.amount,", "o.amount * 2 as twice,")),
        (ROWS, ROWS.replace("c.segment from", "'x' as segment from")),
        (BOTH, BOTH.replace("id, note as t", "id, note as u")),
    ],
)  # fmt: skip
def test_an_edit_of_the_view_changes_no_stored_row(before: str, after: str) -> None:
    kept = _kept(before, after)
    assert not kept.edited
    core = core_of(kept.root, kept.above)
    below = core.input if isinstance(core, (Aggregate, Distinct)) else core
    assert delta(below, Context(frozenset())) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SUMS, SUMS.replace("o.amount > 1", "o.amount > 2 and c.name is not null")),
        (SUMS, SUMS.replace(" where o.amount > 1", "")),
        (ROWS, ROWS + " and c.segment = 'a'"),
        (ROWS, ROWS.replace("c.segment from", "upper(c.name) as segment from")),
        (BOTH, BOTH + " union all select customer_id, name from customers"),
        (BOTH, BOTH[: BOTH.index(" union")]),
        (BOTH[: BOTH.index(" union")], BOTH),
        (BOTH, BOTH.replace("from clicks", "from clicks where seconds > 1")),
    ],
)
def test_an_edit_of_rows_has_a_delta_and_leaves_a_tree_without_moves(
    before: str, after: str
) -> None:
    kept = _kept(before, after)
    assert kept.edited
    core = core_of(kept.root, kept.above)
    below = core.input if isinstance(core, (Aggregate, Distinct)) else core
    assert delta(below, Context(frozenset())) is not None
    assert delta(below, Context(frozenset(r.name for r in RELATIONS))) is not None
    assert not any(map(moves, tree_expressions(settled(kept.root))))


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (SUMS, SUMS.replace("by c.segment", "by c.segment, c.name"), "another GROUP BY"),
        (SUMS, SUMS.replace("join", "left join"), "an outer join in place of a join"),
        (SUMS, ROWS, "rows that are grouped in another way"),
        (ROWS, ROWS.replace("left join", "right join"), "a RIGHT JOIN in place of a LEFT JOIN"),
        (ROWS, ROWS.replace("on c.", "on c.name = 'a' and c."), "another ON"),
        (ROWS, ROWS.replace("o.amount,", "o.amount, o.note,"), "a column note, "),
        (ROWS, ROWS.replace("orders o", "clicks o").replace("o.customer_id", "o.user_id")
         .replace("o.order_id", "o.user_id").replace("o.amount", "o.seconds"), "in place of"),
        # The padded side's NULLs are not those of the expression.
        (PADDED, PADDED.replace("coalesce(length(name), 0) as x", "name")
         .replace("sum(r.x)", "sum(coalesce(length(r.name), 0))"), "an aggregate more"),
    ],
)  # fmt: skip
def test_what_differs_is_said(before: str, after: str, what: str) -> None:
    with pytest.raises(OtherQuery, match=what):
        kept = _kept(before, after)
        # A state without the aggregate does not fit.
        if len(core_of(kept.root, kept.above).columns) != len(core_of(_tree(before)[0]).columns):
            raise OtherQuery("an aggregate more")


def test_other_types_of_a_stored_column_are_another_query() -> None:
    (old, old_types), (new, new_types) = _tree(SUMS), _tree(SUMS.replace("> 1", "> 2"))
    with pytest.raises(OtherQuery, match="another type of revenue"):
        kept_state(old, None, old_types, new, {**new_types, "revenue": "double"})


def test_a_branch_that_comes_has_to_leave_the_types_as_they_are() -> None:
    kept = _kept(BOTH, BOTH + " union all select customer_id, name from customers")
    ((before, after),) = kept.same_types
    assert len(before.columns) == len(after.columns) == 2
