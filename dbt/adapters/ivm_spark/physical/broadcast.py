"""Which inputs of a delta's joins are known to be few rows, from what the sources' logs count.

Spark has no statistics of a change feed and would sort and shuffle a big partner to meet it. An
input whose rows are bounded by the changes alone is joined by broadcast instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.materialized import Materialized
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
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
"""Rows that are joined by broadcast at most: some tens of megabytes at every worker."""


def with_broadcasts(root: Node, changed: Mapping[str, int]) -> Node:
    """The same tree with the inputs of joins that are few marked as `Broadcast`.

    changed: rows that changed of each source that moved, an upper bound, counted in changes (an
    update is two).
    """
    node = with_children(root, tuple(with_broadcasts(child, changed) for child in children(root)))
    marked_already = isinstance(node, SemiJoin) and isinstance(node.among, Broadcast)
    if isinstance(node, SemiJoin) and not marked_already and fits_broadcast(node.among, changed):
        return replace(node, among=Broadcast(node.among))
    if isinstance(node, Join):
        marked = tuple(Broadcast(i) if fits_broadcast(i, changed) else i for i in node.inputs)
        if any(not isinstance(i, Broadcast) for i in marked):
            return replace(node, inputs=marked)
    return node


def with_materialized(changed: Mapping[str, int], kept: Iterable[Materialized]) -> dict[str, int]:
    """The rows that changed, with the most rows of each kept relation, in their order, as far as
    that is known."""
    found = dict(changed)
    for relation in kept:
        most = bound(relation.relation, found)
        if most is not None:
            found[relation.name] = most
    return found


def bound(node: Node, changed: Mapping[str, int]) -> int | None:
    """The most rows a relation can have as far as the changes say, None where they say nothing."""
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
    """Whether a relation is certainly few enough rows to be joined by broadcast."""
    most = bound(node, changed)
    return most is not None and most <= BROADCAST_ROWS
