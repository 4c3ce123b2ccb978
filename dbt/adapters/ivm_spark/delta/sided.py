"""An operator over rows of both sides, as they are and as they were."""

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
"""The operators with one input of which both sides are one relation."""


def sided(node: OverOne, rows: Node, side: str = SIDE) -> Node:
    """The operator over other rows, of which those of different sides do not meet; it has the
    node's columns and `side`.

    rows: its input's, with `side` and maybe others.
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
