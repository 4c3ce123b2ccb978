"""The nodes of a tree: which are below which, and a tree with others in their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Join,
    Lateral,
    Mark,
    Node,
    OuterJoin,
    RuntimeFilter,
    ScalarSubquery,
    Scan,
    SemiJoin,
    SetOp,
    UnionAll,
    Values,
)


def children(node: Node) -> tuple[Node, ...]:
    """The inputs of a node, left to right."""
    if isinstance(node, (Scan, Values)):
        return ()
    if isinstance(node, (Join, UnionAll)):
        return node.inputs
    if isinstance(node, (OuterJoin, SetOp)):
        return (node.left, node.right)
    if isinstance(node, (SemiJoin, RuntimeFilter)):
        return (node.input, node.among)
    if isinstance(node, (ScalarSubquery, Mark, Lateral)):
        return (node.input, node.query)
    return (node.input,)


def with_children(node: Node, inputs: tuple[Node, ...]) -> Node:
    """The same node over other inputs."""
    if isinstance(node, (Scan, Values)):
        return node
    if isinstance(node, (Join, UnionAll)):
        return replace(node, inputs=inputs)
    if isinstance(node, (OuterJoin, SetOp)):
        return replace(node, left=inputs[0], right=inputs[1])
    if isinstance(node, (SemiJoin, RuntimeFilter)):
        return replace(node, input=inputs[0], among=inputs[1])
    if isinstance(node, (ScalarSubquery, Mark, Lateral)):
        return replace(node, input=inputs[0], query=inputs[1])
    return replace(node, input=inputs[0])


def walk(node: Node) -> Iterator[Node]:
    """Every node, parents first."""
    yield node
    for child in children(node):
        yield from walk(child)


def substitute(node: Node, old: Node, new: Node) -> Node:
    """The tree with `old` (by identity) replaced by `new`."""
    if node is old:
        return new
    return with_children(node, tuple(substitute(child, old, new) for child in children(node)))


@contextmanager
def not_too_deep() -> Iterator[None]:
    """Around whatever walks a query: Python's stack ends where a query is nested too deep.

    sqlglot, too, takes some frames for each level. Raises NotMaintained.
    """
    try:
        yield
    except RecursionError as error:
        raise not_supported("a query nested too deep") from error


def too_many_tables(most: int) -> NotMaintained:
    """The reason for a query that reads tables at too many places, CTEs and views expanded."""
    return not_supported(f"tables read at more than {most} places, CTEs and views expanded")
