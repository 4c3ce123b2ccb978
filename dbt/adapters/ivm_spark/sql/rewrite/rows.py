"""Bounds on the number of a relation's rows that follow from its operators."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    Sort,
    Values,
)


def one_row(node: Node) -> bool:
    """Return whether a relation always has exactly one row."""
    if isinstance(node, Values):
        return len(node.rows) == 1
    if isinstance(node, Aggregate):
        return node.whole
    if isinstance(node, (Project, Sort, Distinct)):
        return one_row(node.input)
    if isinstance(node, Join):
        return not node.predicates and all(one_row(child) for child in node.inputs)
    return isinstance(node, OuterJoin) and all(one_row(side) for side in (node.left, node.right))


def one_row_at_most(node: Node) -> bool:
    """Return whether a relation never has two rows."""
    if isinstance(node, (Filter, Project, Sort, Distinct, SemiJoin)):
        return one_row_at_most(node.input)
    if isinstance(node, Limit):
        return keeps_one(node) and one_row_at_most(node.input)
    if isinstance(node, Join):
        return all(one_row_at_most(child) for child in node.inputs)
    if isinstance(node, OuterJoin) and node.side == "LEFT":
        return one_row_at_most(node.left) and one_row_at_most(node.right)
    return one_row(node)


def keeps_one(node: Limit) -> bool:
    """Return whether a LIMIT keeps the only row of an input of one row."""
    limit = node.limit
    return (
        node.offset is None
        and (limit is None or (isinstance(limit, exp.Literal) and not limit.is_string))
        and (limit is None or int(limit.name) > 0)
    )
