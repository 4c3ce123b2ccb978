"""Mark the inputs of joins that certainly have few rows, so that Spark broadcasts them.

Spark has no statistics of a change feed. To join one with a big partner, it would sort and shuffle
the partner.

    Δorders ⋈ lineitem   →   broadcast(Δorders) ⋈ lineitem

Applies to an input of a join, or to the right input of a semi or anti join, if

1. the changed rows that the sources' commits count bound its rows (`bound`);
2. that bound is at most `BROADCAST_ROWS`;
3. at least one other input of the join stays unmarked.

Rows and columns stay the same: a `Broadcast` only says how to compute the join.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.materialized import Materialized
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Join,
    Node,
    Project,
    Scan,
    SemiJoin,
    UnionAll,
)

BROADCAST_ROWS = 500_000
"""The most rows that are broadcast: some tens of megabytes at every worker."""


def with_broadcasts(root: Node, changed: Mapping[str, int]) -> Node:
    """Return the same tree with the small inputs of its joins marked as `Broadcast`.

    Args:
        root: any tree.
        changed: for each source that moved, an upper bound of its changed rows, counted in changes
            (an update is two). Materialized relations may be in it too.
    """
    return bottom_up(root, lambda node: _broadcast(node, changed))


def _broadcast(node: Node, changed: Mapping[str, int]) -> Node:
    if isinstance(node, SemiJoin):
        stays = isinstance(node.among, Broadcast) or not fits_broadcast(node.among, changed)
        return node if stays else replace(node, among=Broadcast(node.among))
    if isinstance(node, Join):
        marked = tuple(Broadcast(i) if fits_broadcast(i, changed) else i for i in node.inputs)
        if any(not isinstance(i, Broadcast) for i in marked):
            return replace(node, inputs=marked)
    return node


def with_materialized(
    changed: Mapping[str, int], relations: Iterable[Materialized]
) -> dict[str, int]:
    """Return `changed` with a bound for each materialized relation that has one.

    The relations come in the order in which they are computed: each may read earlier ones.
    """
    found = dict(changed)
    for relation in relations:
        most = bound(relation.relation, found)
        if most is not None:
            found[relation.name] = most
    return found


def bound(node: Node, changed: Mapping[str, int]) -> int | None:
    """Return the most rows that the changes allow a relation, None if they do not bound it."""
    if isinstance(node, Scan):
        return changed.get(node.relation) if node.at is not At.POST else None
    if isinstance(node, Aggregate) and node.whole:
        return 1
    if isinstance(node, Empty):
        return 0
    if isinstance(node, (Filter, Project, Distinct, Aggregate, SemiJoin, Broadcast)):
        return bound(node.input, changed)
    if isinstance(node, UnionAll):
        bounds = [bound(child, changed) for child in node.inputs]
        return None if None in bounds else sum(b for b in bounds if b is not None)
    return None


def fits_broadcast(node: Node, changed: Mapping[str, int]) -> bool:
    """Return whether a relation certainly has at most `BROADCAST_ROWS` rows."""
    most = bound(node, changed)
    return most is not None and most <= BROADCAST_ROWS
