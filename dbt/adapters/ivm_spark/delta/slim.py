"""Which relations are about as small as a change."""

from __future__ import annotations

from dbt.adapters.ivm_spark.view.empty import is_empty
from dbt.adapters.ivm_spark.view.tree import (
    At,
    Join,
    Node,
    OuterJoin,
    Scan,
    SemiJoin,
    SetOp,
    UnionAll,
    Within,
)
from dbt.adapters.ivm_spark.view.walk import children

KEPT = "ivm_kept_"
"""What the names of relations begin with that are computed before a refresh's statement."""


def is_slim(node: Node) -> bool:
    """Whether a relation has no more rows than changed, or than meet what changed."""
    if isinstance(node, Scan):
        return node.at is At.CHANGES or node.relation.startswith(KEPT)
    if is_empty(node):
        return True
    if isinstance(node, Join):
        return any(map(is_slim, node.inputs))
    if isinstance(node, UnionAll):
        return all(map(is_slim, node.inputs))
    if isinstance(node, SemiJoin):
        return is_slim(node.input) or (is_slim(node.among) and not node.anti)
    if isinstance(node, OuterJoin):
        sides = {"LEFT": (node.left,), "RIGHT": (node.right,)}
        return all(map(is_slim, sides.get(node.side, (node.left, node.right))))
    if isinstance(node, SetOp):
        return is_slim(node.left)
    if isinstance(node, Within):
        return is_slim(node.input)
    below = children(node)
    return len(below) == 1 and is_slim(below[0])
