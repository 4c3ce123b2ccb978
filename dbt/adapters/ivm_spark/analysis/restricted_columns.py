"""The columns of sources that conditions compare. By no others are files skipped. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import by_place, used_columns
from dbt.adapters.ivm_spark.algebra.traversal import children, nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Node,
    Project,
    Scan,
    SetOp,
    UnionAll,
)


def compared_columns(trees: Iterable[Node]) -> dict[str, frozenset[str]]:
    """Return the columns that conditions compare, by the quoted name of their source.

    A source of the trees that has no such column has an empty set. Whatever else a condition is
    computed from counts too. The result may have columns that no condition compares, and may lack
    some that one compares above an operator like PIVOT.
    """
    every = [node for tree in trees for node in nodes(tree)]
    compared = used_columns(*(p for node in every for p in _conditions(node)))
    origins: dict[str, set[str]] = {}
    for node in every:
        for name, others in _computed(node):
            origins.setdefault(name, set()).update(others)
    reached = set[str]()
    while compared - reached:
        new = compared - reached
        reached |= new
        compared |= set[str]().union(*(origins.get(name, ()) for name in new))
    found: dict[str, set[str]] = {}
    for scan in (node for node in every if isinstance(node, Scan)):
        own = (theirs for name, theirs in scan.fields if name in compared)
        found.setdefault(scan.relation, set()).update(own)
    return {relation: frozenset(columns) for relation, columns in found.items()}


def _conditions(node: Node) -> Iterable[exp.Expr]:
    """Return the conditions of one node."""
    if isinstance(node, Filter):
        return (node.predicate,)
    conditions: Iterable[exp.Expr] = getattr(node, "predicates", ())
    return conditions


def _computed(node: Node) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each column of a node that a filter may be pushed down by, with what it is made of."""
    if isinstance(node, (Project, Aggregate)):
        items = node.items if isinstance(node, Project) else node.keys
        yield from ((item.name, used_columns(item.expression)) for item in items)
    elif isinstance(node, (UnionAll, SetOp)):
        for branch in children(node):
            yield from ((name, (theirs,)) for name, theirs in by_place(node.columns, branch))
