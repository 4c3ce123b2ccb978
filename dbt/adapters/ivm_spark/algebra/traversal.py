"""Traversal of a tree: the inputs of a node, and trees with replaced nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, not_supported
from dbt.adapters.ivm_spark.algebra.tree import NODES, Filter, Node, Project

_INPUTS: dict[type[Any], tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind) if f.type in ("Node", "tuple[Node, ...]"))
    for kind in NODES
}
"""The fields of each kind of node that hold its inputs, left to right."""


def children(node: Node) -> tuple[Node, ...]:
    """Return the inputs of a node, left to right."""
    found: list[Node] = []
    for name in _INPUTS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, tuple):
            found.extend(value)
        else:
            found.append(value)
    return tuple(found)


def with_children(node: Node, inputs: tuple[Node, ...]) -> Node:
    """Return the node with other inputs, or the node itself if they are the same objects."""
    if all(a is b for a, b in zip(children(node), inputs, strict=True)):
        return node
    left, changes = list(inputs), dict[str, Any]()
    for name in _INPUTS[type(node)]:
        value = getattr(node, name)
        taken = len(value) if isinstance(value, tuple) else 1
        changes[name] = tuple(left[:taken]) if isinstance(value, tuple) else left[0]
        left = left[taken:]
    changed: Node = replace(node, **changes)
    return changed


def nodes(root: Node) -> Iterator[Node]:
    """Yield every node once, however many parents it has; each after one of its parents."""
    seen, waiting = {id(root)}, [root]
    while waiting:
        node = waiting.pop()
        yield node
        for child in reversed(children(node)):
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append(child)


def walk(node: Node) -> Iterator[Node]:
    """Yield every node on every path to it, parents first; see `nodes`."""
    yield node
    for child in children(node):
        yield from walk(child)


def bottom_up(root: Node, change: Callable[[Node], Node]) -> Node:
    """Return the tree with `change` applied to each node, after it was applied to its inputs.

    A node with several parents is changed once, and stays one node. A delta repeats its inputs, so
    its paths may be many more than its nodes.
    """
    done: dict[int, Node] = {}

    def visit(node: Node) -> Node:
        if id(node) not in done:
            inputs = tuple(visit(child) for child in children(node))
            done[id(node)] = change(with_children(node, inputs))
        return done[id(node)]

    return visit(root)


def below_rows(node: Node) -> Node:
    """Return what is below the filters and projections at the top of a tree."""
    while isinstance(node, (Filter, Project)):
        node = node.input
    return node


def substitute(node: Node, old: Node, new: Node) -> Node:
    """Return the tree with the node `old` (found by identity) replaced by `new`."""
    if node is old:
        return new
    return with_children(node, tuple(substitute(child, old, new) for child in children(node)))


@contextmanager
def not_too_deep() -> Iterator[None]:
    """Raise NotMaintained if a query is nested too deep for Python's stack.

    Wrap all code that walks a query in it. sqlglot also takes some frames for each level.
    """
    try:
        yield
    except RecursionError as error:
        raise not_supported("a query nested too deep") from error


def too_many_tables(most: int) -> NotMaintained:
    """Return the exception for a query that reads tables at too many places.

    The places count after CTEs and views are expanded.
    """
    return not_supported(f"tables read at more than {most} places, CTEs and views expanded")
