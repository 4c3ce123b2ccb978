"""Materialize what a delta reads more than once: common subexpression elimination.

The delta rules repeat their inputs. A delta occurs in its own keys and in the pre-state. The rows
of touched keys occur in the new and in the old result. In SQL text, each occurrence would be
computed again, and nested operators would multiply them.

    op(B ⋉ keys(Δ)) ⊎ -op((B ⋉ keys(Δ)) ⊎ -Δ)   →   M = B ⋉ keys(Δ);   op(M) ⊎ -op(M ⊎ -Δ)

The tree is folded into a graph of its distinct subtrees. A subtree is materialized if

1. it occurs more than once, or it is a `Materialize`;
2. it is about as small as the change (`is_delta_sized`), so never a whole source or its pre-state;
3. it reads a source or a change feed (`reads_sources`): anything else is cheap to compute again.

The rows and columns of the tree stay the same.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dbt.adapters.ivm_spark.algebra.materialized import Materialized, materialized_name
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import At, Empty, Materialize, Node, Scan
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized


def share_common_subplans(root: Node, token: str = "") -> tuple[tuple[Materialized, ...], Node]:
    """Return the relations to materialize, each after those that it reads, and the tree over them.

    Args:
        root: the delta after all passes.
        token: makes the names of the relations unique to this refresh.
    """
    graph = _Graph(token)
    graph.add(root)
    return graph.folded(root)


class _Graph:
    def __init__(self, token: str) -> None:
        self._token = token
        self._ids: dict[Any, int] = {}
        self._of: dict[int, int] = {}
        self._uses: dict[int, int] = {}
        self._materialized: dict[int, Materialized] = {}
        self._done: dict[int, Node] = {}

    def add(self, node: Node) -> int:
        """Number the distinct subtrees of a tree, and count the uses of each."""
        if id(node) in self._of:
            return self._of[id(node)]
        below = [self.add(child) for child in children(node)]
        number = self._ids.setdefault(_key(node, below), len(self._ids))
        if number not in self._uses:
            self._uses[number] = 0
            for child in below:
                self._uses[child] += 1
        self._of[id(node)] = number
        return number

    def folded(self, root: Node) -> tuple[tuple[Materialized, ...], Node]:
        node = self._fold(root)
        return tuple(self._materialized.values()), node

    def _fold(self, node: Node) -> Node:
        number = self._of[id(node)]
        if number not in self._done:
            over = with_children(node, tuple(self._fold(child) for child in children(node)))
            staged = isinstance(over, Materialize)
            over = over.input if isinstance(over, Materialize) else over
            if (staged or self._uses[number] > 1) and is_delta_sized(over) and reads_sources(over):
                name = materialized_name(str(len(self._materialized) + 1), self._token)
                materialized = Materialized(name, over)
                self._materialized[number] = materialized
                over = materialized.scan
            self._done[number] = over
        return self._done[number]


def _key(node: Node, below: list[int]) -> tuple[Any, ...]:
    """Return what identifies a subtree: the node's kind, its own fields, its inputs' numbers."""
    inputs = {id(child) for child in children(node)}
    own = tuple(
        value
        for value in (getattr(node, f.name) for f in fields(node))
        if not (id(value) in inputs or _are(value, inputs))
    )
    return (type(node), own, tuple(below))


def _are(value: object, inputs: set[int]) -> bool:
    return isinstance(value, tuple) and bool(value) and all(id(v) in inputs for v in value)


def reads_sources(node: Node) -> bool:
    """Return whether a relation reads a source or a change feed.

    A relation that reads only materialized relations is cheap.
    """
    if isinstance(node, Scan):
        return node.at is not At.TEMPORARY
    if isinstance(node, Empty):
        return False
    return any(reads_sources(child) for child in children(node))
