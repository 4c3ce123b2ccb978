"""Which relations are about as small as the change, and how large the others are."""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import assert_never

from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Generate,
    GroupingSets,
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


def is_delta_sized(node: Node) -> bool:
    """Return whether a relation has at most the rows that changed, or the rows that join them."""
    match node:
        case Scan():
            return node.at is not At.POST
        case Values():
            return False
        case Empty():
            return True
        case Join():
            return any(map(is_delta_sized, node.inputs))
        case UnionAll():
            return all(map(is_delta_sized, node.inputs))
        case SemiJoin():
            return is_delta_sized(node.input) or (is_delta_sized(node.among) and not node.anti)
        case OuterJoin():
            sides = {"LEFT": (node.left,), "RIGHT": (node.right,)}
            return all(map(is_delta_sized, sides.get(node.side, (node.left, node.right))))
        case SetOp():
            return is_delta_sized(node.left)
        case Filter() | Project() | Generate() | Aggregate() | Distinct() | Window() | Sort():
            return is_delta_sized(node.input)
        case TimeWindow() | Limit() | Broadcast() | Materialize() | RuntimeFilter():
            return is_delta_sized(node.input)
        case GroupingSets() | Pivot() | Unpivot():
            return is_delta_sized(node.input)
        case ScalarSubquery() | Mark() | Lateral():
            return False
    assert_never(node)


def rows_read(node: Node, rows: Mapping[str, int]) -> int:
    """Return the rows of the biggest source that a relation reads at its new version.

    Changes do not count. It returns 0 if no such source is known.

    Args:
        node: the relation.
        rows: the rows of each source, by quoted name.
    """
    scans = (n for n in nodes(node) if isinstance(n, Scan) and n.at is At.POST)
    return max((rows.get(scan.relation, 0) for scan in scans), default=0)
