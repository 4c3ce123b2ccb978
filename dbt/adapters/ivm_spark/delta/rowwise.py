"""The deltas of row-wise operators, which are linear: they apply to the delta as to the relation.

    SELECT a + b AS c FROM orders WHERE d > 1      Δ = project(filter(Δorders))

Source: Koch, "Incremental query evaluation in a ring of databases" (PODS 2010), section 3.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    At,
    Empty,
    Filter,
    Generate,
    Item,
    Node,
    Project,
    Scan,
    Sort,
    TimeWindow,
    UnionAll,
    Values,
)
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.moved import is_moved, moved_filter, moved_project


def delta_filter(node: Filter, derive: Derive, context: Context) -> Node | None:
    """Return the changed rows that pass.

    If an update moves a row in or out, only one side of it passes. If the clock moved in the
    predicate, see `dbt.adapters.ivm_spark.delta.moved`.
    """
    below = derive(node.input)
    if is_moved(node):
        return moved_filter(node, below)
    return None if below is None else replace(node, input=below)


def delta_project(node: Project, derive: Derive, context: Context) -> Node | None:
    """Return the expressions of the changed rows, with their weight."""
    below = derive(node.input)
    if is_moved(node):
        return moved_project(node, below)
    if below is None:
        return None
    return Project(below, (*node.items, Item(WEIGHT, column(WEIGHT))))


def delta_generate(node: Generate | TimeWindow, derive: Derive, context: Context) -> Node | None:
    """Return what the changed rows generate, or their windows of time, with their weight."""
    below = derive(node.input)
    return None if below is None else replace(node, input=below)


def delta_sort(node: Sort, derive: Derive, context: Context) -> Node | None:
    """Return the delta of the input: the order of rows inside a query means nothing."""
    return derive(node.input)


def delta_union_all(node: UnionAll, derive: Derive, context: Context) -> Node | None:
    """Return the changes of all branches.

    A branch that did not change stays as a branch without rows, because it takes part in choosing
    the types of the union. The stored rows have these types, and their hashes depend on them.
    """
    deltas = [derive(branch) for branch in node.inputs]
    if all(below is None for below in deltas):
        return None
    branches = []
    for branch, below in zip(node.inputs, deltas, strict=True):
        items = [Item(n, column(own)) for n, own in zip(node.columns, branch.columns, strict=True)]
        if below is None:
            branches.append(Project(Empty(branch), (*items, Item(WEIGHT, exp.Literal.number(0)))))
        else:
            branches.append(Project(below, (*items, Item(WEIGHT, column(WEIGHT)))))
    return replace(node, inputs=tuple(branches))


def delta_scan(node: Scan, derive: Derive, context: Context) -> Node | None:
    """Return the weighted rows of the change feed, None if the source did not move."""
    moved = node.relation in context.moved and node.at is not At.EVER
    return replace(node, at=At.CHANGES) if moved else None


def delta_values(node: Values, derive: Derive, context: Context) -> Node | None:
    """Return None: a VALUES never changes."""
    return None
