"""Rewrites a lateral subquery as a join with the relation of its rows.

The predicates that tie the subquery to the rows before it become the join's predicates. An
aggregate without GROUP BY has one row for each of those rows. Expressions over their columns are
computed above the join.

Source: Neumann, Kemper, "Unnesting arbitrary queries" (BTW 2015), for joins that depend on their
other side.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, free_columns, over, passed, used_columns
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Item,
    Join,
    Lateral,
    Node,
    OuterJoin,
    Project,
    Values,
)
from dbt.adapters.ivm_spark.sql.rewrite.decorrelate import decorrelated
from dbt.adapters.ivm_spark.sql.rewrite.for_each_row import (
    Peeled,
    beside_aggregate,
    peeled,
)


def rewrite_lateral(node: Lateral) -> Node:
    """Return the input joined with the rows of the subquery.

    Raises NotMaintained, see `decorrelated`.
    """
    query = peeled(node.query)
    if isinstance(query.base, Aggregate) and query.base.whole:
        joined, values = beside_aggregate(node.input, query.base, f"__ivm_{node.name}_")
        return _with_one_row(node, joined, query.over(values))
    if query.base == Values((), ((),)):
        return _with_one_row(node, node.input, query)
    if free_columns(node.query) & used_columns(*query.values.values()):
        return _with_values(node, query)
    below = decorrelated(node.query, f"__ivm_{node.name}_")
    return _joined(node, node.input, below.node, (*below.predicates, *node.predicates))


def _with_one_row(node: Lateral, joined: Node, query: Peeled) -> Node:
    """Return each row with the values of one row, unless a condition on that row is not true."""
    conditions = (*query.conditions, *(over(p, query.values) for p in node.predicates))
    values = query.values
    if conditions and node.left:
        holds = exp.and_(*conditions, wrap=True)
        values = {
            name: exp.Case(ifs=[exp.If(this=holds.copy(), true=value)])
            for name, value in values.items()
        }
    else:
        for condition in conditions:
            joined = Filter(joined, condition)
    return Project(joined, _items(node, values))


def _with_values(node: Lateral, query: Peeled) -> Node:
    """Return the join, with values over columns of both sides computed above it.

    These values are NULL if a LEFT JOIN has no row.
    """
    rows: Node = query.base
    for condition in query.conditions:
        rows = Filter(rows, condition)
    below = decorrelated(rows, f"__ivm_{node.name}_")
    there = f"__ivm_{node.name}_there"
    rows, values = below.node, query.values
    if node.left:
        rows = Project(rows, (*passed(rows.columns), Item(there, exp.Literal.number(1))))
        present = exp.Not(this=exp.Is(this=column(there), expression=exp.null()))
        values = {
            name: exp.Case(ifs=[exp.If(this=present.copy(), true=value)])
            for name, value in values.items()
        }
    own = tuple(over(p, query.values) for p in node.predicates)
    joined = _joined(node, node.input, rows, (*below.predicates, *own))
    return Project(joined, _items(node, values))


def _joined(node: Lateral, input_: Node, rows: Node, predicates: tuple[exp.Expr, ...]) -> Node:
    if node.left:
        return OuterJoin(input_, rows, "LEFT", predicates)
    if isinstance(input_, Join):
        return Join((*input_.inputs, rows), (*input_.predicates, *predicates))
    return Join((input_, rows), predicates)


def _items(node: Lateral, values: dict[str, exp.Expr]) -> tuple[Item, ...]:
    own = (Item(name, values[name]) for name in node.query.columns)
    return (*passed(node.input.columns), *own)
