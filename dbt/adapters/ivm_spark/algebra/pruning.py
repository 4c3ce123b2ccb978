"""Column pruning: remove the columns that no operator above needs, down to the scans.

A scan then names exactly the columns of a source that the view uses. So a change in any other
column of the source does not change the view.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp
from typing_extensions import assert_never

from dbt.adapters.ivm_spark.algebra.clock import reads_clock
from dbt.adapters.ivm_spark.algebra.columns import free_columns, passed, used_columns
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Generate,
    GroupingSets,
    Item,
    Join,
    Lateral,
    Limit,
    Mark,
    Materialize,
    Node,
    OuterJoin,
    Pivot,
    Project,
    RuntimeFilter,
    ScalarSubquery,
    Scan,
    SemiJoin,
    SetOp,
    Sort,
    TimeWindow,
    UnionAll,
    Unpivot,
    Values,
    Window,
)


def prune(root: Node) -> Node:
    """Return the tree with the same outputs and without unused columns."""
    return _prune(root, set(root.columns))


def _prune(node: Node, needed: set[str]) -> Node:
    match node:
        case Scan():
            fields = tuple(f for f in node.fields if f[0] in needed)
            return replace(node, fields=fields or node.fields[:1])
        case Values() | Empty():
            return node
        case Project():
            items = tuple(i for i in node.items if i.name in needed) or _unread(node.items)
            used = used_columns(*(i.expression for i in items))
            return Project(_prune(node.input, used), items)
        case Aggregate():
            kept = tuple(i for i in node.aggregates if i.name in needed)
            if node.whole:
                kept = kept or node.aggregates[:1]
            used = used_columns(*(i.expression for i in (*node.keys, *kept)))
            return Aggregate(_prune(node.input, used), node.keys, kept)
        case Window():
            items = tuple(i for i in node.items if i.name in needed)
            used = used_columns(*(i.expression for i in items))
            input_ = _prune(node.input, (needed | used) & set(node.input.columns))
            return Window(input_, items) if items else input_
        case GroupingSets():
            kept = tuple(i for i in node.aggregates if i.name in needed)
            used = used_columns(*(i.expression for i in (*node.keys, *kept)))
            return replace(node, input=_prune(node.input, used), aggregates=kept)
        case Pivot():
            used = {*node.keys, *used_columns(*node.by, *node.aggregates)}
            return replace(node, input=_prune(node.input, used))
        case Unpivot():
            kept_columns = tuple(c for c in node.kept if c in needed)
            used = {*kept_columns, *(c for _, columns in node.parts for c in columns)}
            return replace(node, input=_prune(node.input, used), kept=kept_columns)
        case UnionAll():
            places = [n for n, name in enumerate(node.columns) if name in needed] or [0]
            branches = tuple(_prune_branch(branch, places) for branch in node.inputs)
            return replace(node, inputs=branches)
        case ScalarSubquery() | Mark():
            return _prune_subquery(node, needed)
        case Lateral():
            needed = needed | used_columns(*node.predicates)
            query = _prune(node.query, needed)
            below = _prune(node.input, needed | free_columns(query))
            return replace(node, input=below, query=query)
        case SetOp() | Distinct():
            # Each column tells rows apart.
            return with_children(node, tuple(map(_whole, children(node))))
        case Filter():
            used = used_columns(node.predicate)
        case Join() | OuterJoin() | SemiJoin():
            used = used_columns(*node.predicates)
        case TimeWindow():
            used = used_columns(node.call)
        case Generate():
            used = used_columns(node.generator)
        case Sort():
            used = used_columns(*node.orderings)
        case Limit():
            used = set()
        case Broadcast() | Materialize() | RuntimeFilter():
            raise TypeError(f"{type(node).__name__} is not a node of a view")
        case _:
            assert_never(node)
    return with_children(node, tuple(_prune(child, needed | used) for child in children(node)))


def _prune_subquery(node: ScalarSubquery | Mark, needed: set[str]) -> Node:
    if node.name not in needed:
        return _prune(node.input, needed)
    exists = isinstance(node, Mark) and not node.operands
    query = _prune(node.query, set() if exists else set(node.query.columns))
    needed = needed | free_columns(query)
    if isinstance(node, Mark):
        needed |= used_columns(*node.operands)
    return replace(node, input=_prune(node.input, needed), query=query)


def _whole(node: Node) -> Node:
    return _prune(node, set(node.columns))


def _unread(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return one column that nothing reads, since a relation has columns. It follows no clock."""
    return tuple(
        Item(i.name, exp.Literal.number(0)) if reads_clock(i.expression) else i for i in items[:1]
    )


def _prune_branch(branch: Node, places: list[int]) -> Node:
    """Return a branch of a union with only the columns at these positions."""
    names = [branch.columns[place] for place in places]
    if isinstance(branch, Project):
        items = tuple(branch.items[place] for place in places)
        return Project(_prune(branch.input, used_columns(*(i.expression for i in items))), items)
    return Project(_prune(branch, set(names)), passed(names))
