"""One operator over the rows of both sides, the post-state and the pre-state."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Item,
    Node,
    Project,
    Sort,
    Window,
)
from dbt.adapters.ivm_spark.delta.bags import SIDE

OverOne: TypeAlias = "Filter | Sort | Generate | Project | Aggregate | Distinct | Window"
"""The operators with one input that can process both sides as one relation."""


def sided(node: OverOne, rows: Node, side: str = SIDE) -> Node:
    """Return the operator over other rows, without combining rows of different sides.

    It has the node's columns and `side`.

    Args:
        node: the operator.
        rows: of its input, with the column `side` and possibly others.
        side: the column that tells the sides apart.
    """
    own = Item(side, column(side))
    if isinstance(node, Project):
        return Project(rows, (*node.items, own))
    if isinstance(node, Aggregate):
        return replace(node, input=rows, keys=(*node.keys, own))
    if isinstance(node, Distinct):
        return Distinct(Project(rows, (*passed(node.columns), own)))
    if isinstance(node, Window):
        return Window(rows, tuple(Item(i.name, _within(i.expression, side)) for i in node.items))
    return replace(node, input=rows)


def _within(window: exp.Expr, side: str) -> exp.Expr:
    window = window.copy()
    window.set("partition_by", [*window.args["partition_by"], column(side)])
    return window
