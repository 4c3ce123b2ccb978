"""Which relations are about as small as the change, and how large the others are."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.algebra.traversal import children, walk
from dbt.adapters.ivm_spark.algebra.tree import (
    At,
    Empty,
    Join,
    Node,
    OuterJoin,
    RuntimeFilter,
    Scan,
    SemiJoin,
    SetOp,
    UnionAll,
)


def is_delta_sized(node: Node) -> bool:
    """Return whether a relation has at most the rows that changed, or the rows that join them."""
    if isinstance(node, Scan):
        return node.at is not At.POST
    if isinstance(node, Empty):
        return True
    if isinstance(node, Join):
        return any(map(is_delta_sized, node.inputs))
    if isinstance(node, UnionAll):
        return all(map(is_delta_sized, node.inputs))
    if isinstance(node, SemiJoin):
        return is_delta_sized(node.input) or (is_delta_sized(node.among) and not node.anti)
    if isinstance(node, OuterJoin):
        sides = {"LEFT": (node.left,), "RIGHT": (node.right,)}
        return all(map(is_delta_sized, sides.get(node.side, (node.left, node.right))))
    if isinstance(node, SetOp):
        return is_delta_sized(node.left)
    if isinstance(node, RuntimeFilter):
        return is_delta_sized(node.input)
    below = children(node)
    return len(below) == 1 and is_delta_sized(below[0])


def rows_read(node: Node, rows: Mapping[str, int]) -> int:
    """Return the rows of the biggest source that a relation reads at its new version.

    Changes do not count. It returns 0 if no such source is known.

    Args:
        node: the relation.
        rows: the rows of each source, by quoted name.
    """
    scans = (n for n in walk(node) if isinstance(n, Scan) and n.at is At.POST)
    return max((rows.get(scan.relation, 0) for scan in scans), default=0)
