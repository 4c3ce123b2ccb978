"""A delta without the changes of some sources, from the delta that exists.

A change without a net effect is the empty bag. Its scan has no rows, and operators that can have no
rows without it are removed too. The rest of the tree stays, so that nothing is derived again.

    without({b}):   Δa ⋈ b ⊎ a ⋈ Δb   →   Δa ⋈ b
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.columns import by_place, column
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Generate,
    Item,
    Join,
    Materialize,
    Node,
    OuterJoin,
    Project,
    RuntimeFilter,
    Scan,
    SemiJoin,
    SetOp,
    Sort,
    TimeWindow,
    UnionAll,
    Window,
)

_ROW_BY_ROW = (
    Filter,
    Project,
    Generate,
    Sort,
    Distinct,
    TimeWindow,
    Window,
    Broadcast,
    Materialize,
)


def without_changes(root: Node, sources: Set[str]) -> Node:
    """Return a delta as if these sources had not changed, `Empty` if nothing is left.

    Args:
        root: a delta.
        sources: quoted names of sources whose changes are no rows once they are netted.
    """
    done: dict[int, Node] = {}

    def left(node: Node) -> Node:
        # A node may have several parents, and must stay one node.
        if id(node) not in done:
            below = tuple(left(child) for child in children(node))
            done[id(node)] = _folded(with_children(node, below), sources)
        return done[id(node)]

    return left(root)


def _folded(node: Node, sources: Set[str]) -> Node:
    """Fold a node whose inputs are folded already."""
    if isinstance(node, Scan):
        gone = node.at is At.CHANGES and node.relation in sources
        return Empty(node) if gone else node
    if isinstance(node, UnionAll):
        return _of_union(node)
    if isinstance(node, SemiJoin) and node.anti and isinstance(node.among, Empty):
        return node.input
    return Empty(node) if _is_without_rows(node) else node


def _is_without_rows(node: Node) -> bool:
    none = tuple(isinstance(child, Empty) for child in children(node))
    if isinstance(node, (Join, RuntimeFilter)):
        return any(none)
    if isinstance(node, SemiJoin):
        return none[0] or (none[1] and not node.anti)
    if isinstance(node, OuterJoin):
        return {"LEFT": none[0], "RIGHT": none[1]}.get(node.side, all(none))
    if isinstance(node, SetOp):
        return none[0] or (none[1] and node.kind == "INTERSECT")
    if isinstance(node, Aggregate):
        return none[0] and not node.whole
    return isinstance(node, _ROW_BY_ROW) and none[0]


def _of_union(node: UnionAll) -> Node:
    """Return the inputs with rows, under the union's names.

    All inputs stay if one without rows takes part in choosing the types.
    """
    some = [i for i in node.inputs if not isinstance(i, Empty)]
    if not some:
        return Empty(node)
    if node.widens or len(some) == len(node.inputs):
        return node
    first = some[0]
    if first is not node.inputs[0]:
        names = by_place(node.columns, first)
        first = Project(first, tuple(Item(name, column(own)) for name, own in names))
    return first if len(some) == 1 else replace(node, inputs=(first, *some[1:]))
