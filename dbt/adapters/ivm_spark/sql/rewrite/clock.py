"""Moves calls of the clock into filters and projections, the operators that follow a moving clock.

    sum(case when d >= current_date() - 30 then n end)   →   sum(x) over a projection of x
    a LEFT JOIN b ON a.k = b.k AND b.d < current_date()   →   a LEFT JOIN (b WHERE d < …) ON …

A predicate of an inner join becomes a filter. A predicate of an outer or semi join moves only into
the input that it filters, where the result is the same. Whatever else calls the clock stays; the
view is rebuilt when that call's value moves.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import reads_clock
from dbt.adapters.ivm_spark.algebra.columns import column, passed, tree_expressions, used_columns
from dbt.adapters.ivm_spark.algebra.expressions import WRAPPERS, is_aggregate
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
)
from dbt.adapters.ivm_spark.sql.rewrite.parameters import with_parameters_in_place

_PREFIX = "__ivm_at_"
_AROUND = (*WRAPPERS, exp.Where, exp.Distinct, exp.Order, exp.Ordered)
"""Parts of an aggregate call that are no values of the rows."""


def with_clock_apart(root: Node) -> Node:
    """Return the same relation with its calls of the clock in filters and projections."""
    if not any(map(reads_clock, tree_expressions(root))):
        return root
    numbers = count(1)

    def apart(node: Node) -> Node:
        match node:
            case Aggregate():
                return _of_aggregate(node, numbers)
            case Join():
                return _of_join(node)
            case OuterJoin():
                return _of_outer_join(node)
            case SemiJoin():
                mine, rest = _filtering(node.predicates, node.among)
                return replace(node, among=_filtered(node.among, mine), predicates=rest)
            case _:
                return node

    return bottom_up(with_parameters_in_place(root), apart)


def _of_aggregate(node: Aggregate, numbers: count[int]) -> Node:
    """Return the aggregate over columns in place of its values that call the clock."""
    made: list[Item] = []

    def value(expression: exp.Expr) -> exp.Expr:
        made.append(Item(f"{_PREFIX}{next(numbers)}", expression.copy()))
        return column(made[-1].name)

    def of_call(part: exp.Expr, only: exp.Expr | None = None) -> exp.Expr:
        if not reads_clock(part):
            return part
        if isinstance(part, exp.Filter):
            condition = part.expression.this
            return exp.Filter(
                this=of_call(part.this, condition),
                expression=exp.Where(this=of_call(condition)),
            )
        if not (is_aggregate(part) or isinstance(part, _AROUND)):
            if only is None:
                return value(part)
            # The value may not exist for the rows that FILTER leaves out.
            return value(exp.Case(ifs=[exp.If(this=only.copy(), true=part.copy())]))
        clone = part.copy()
        for place, below in list(clone.args.items()):
            if isinstance(below, exp.Expr):
                clone.set(place, of_call(below, only))
            elif isinstance(below, list):
                parts = [of_call(b, only) if isinstance(b, exp.Expr) else b for b in below]
                clone.set(place, parts)
        return clone

    keys = tuple(
        Item(k.name, value(k.expression)) if reads_clock(k.expression) else k for k in node.keys
    )
    calls = tuple(Item(a.name, of_call(a.expression)) for a in node.aggregates)
    if not made:
        return node
    rows = Project(node.input, (*passed(node.input.columns), *made))
    return Aggregate(rows, keys, calls)


def _of_join(node: Join) -> Node:
    """Return the join with filters in place of predicates that call the clock."""
    inputs, rest = list(node.inputs), node.predicates
    for place, below in enumerate(inputs):
        mine, rest = _filtering(rest, below)
        inputs[place] = _filtered(below, mine)
    across = tuple(p for p in rest if reads_clock(p))
    joined = Join(tuple(inputs), tuple(p for p in rest if not reads_clock(p)))
    return _filtered(joined if joined.predicates != node.predicates else node, across)


def _of_outer_join(node: OuterJoin) -> Node:
    if node.side == "FULL":
        return node
    other = node.right if node.side == "LEFT" else node.left
    mine, rest = _filtering(node.predicates, other)
    filtered = _filtered(other, mine)
    if node.side == "LEFT":
        return replace(node, right=filtered, predicates=rest)
    return replace(node, left=filtered, predicates=rest)


def _filtering(
    predicates: tuple[exp.Expr, ...], input_: Node
) -> tuple[tuple[exp.Expr, ...], tuple[exp.Expr, ...]]:
    """Return the predicates that call the clock over one input alone, and the others."""
    own = set(input_.columns)
    mine = tuple(
        p for p in predicates if reads_clock(p) and used_columns(p) and used_columns(p) <= own
    )
    return mine, tuple(p for p in predicates if p not in mine)


def _filtered(node: Node, predicates: tuple[exp.Expr, ...]) -> Node:
    for predicate in predicates:
        node = Filter(node, predicate)
    return node
