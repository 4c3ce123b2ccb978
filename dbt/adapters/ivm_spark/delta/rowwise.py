"""Row-wise operators are linear: they apply to the delta as they do to the relation.

Koch, "Incremental query evaluation in a ring of databases" (PODS 2010), section 3.
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
    UnionAll,
    Values,
)
from dbt.adapters.ivm_spark.delta.context import Context, Derive


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
    """The changes of all branches.

    A branch that did not change stays as no rows: it has its say in the types of the union, which
    the stored rows have and their hashes depend on.
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
    """The rows of the change feed between the versions, weighted; nothing if it did not move."""
    return replace(node, at=At.CHANGES) if node.relation in context.moved else None


def delta_values(node: Values, derive: Derive, context: Context) -> Node | None:
    """Never any change."""
    return None
