"""Row-wise operators are linear: they apply to the delta as they do to the relation.

Koch, "Incremental query evaluation in a ring of databases" (PODS 2010), section 3.
"""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.view.tree import (
    WEIGHT,
    Filter,
    Generate,
    Item,
    Node,
    Project,
    Sort,
    UnionAll,
    column,
)


def delta_filter(node: Filter, derive: Derive, context: Context) -> Node | None:
    """Changed rows that pass; a row that an update moves in or out passes on one side only."""
    below = derive(node.input)
    return None if below is None else replace(node, input=below)


def delta_project(node: Project, derive: Derive, context: Context) -> Node | None:
    """The expressions of changed rows, with their weight."""
    below = derive(node.input)
    if below is None:
        return None
    return Project(below, (*node.items, Item(WEIGHT, column(WEIGHT))))


def delta_generate(node: Generate, derive: Derive, context: Context) -> Node | None:
    """What a changed row generates changes with its weight."""
    below = derive(node.input)
    return None if below is None else replace(node, input=below)


def delta_sort(node: Sort, derive: Derive, context: Context) -> Node | None:
    """The order of a relation inside a query means nothing."""
    return derive(node.input)


def delta_union_all(node: UnionAll, derive: Derive, context: Context) -> Node | None:
    """The changes of all branches."""
    names = node.columns
    branches = []
    for branch in node.inputs:
        below = derive(branch)
        if below is not None:
            items = [Item(n, column(own)) for n, own in zip(names, branch.columns, strict=True)]
            branches.append(Project(below, (*items, Item(WEIGHT, column(WEIGHT)))))
    return UnionAll(tuple(branches)) if branches else None
