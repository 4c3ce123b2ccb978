"""What a delta says more than once is computed once and kept for the statement.

The rules repeat what they are given: a delta stands in its keys and in what is taken back, the
rows of touched keys stand in the new and in the old result. As text each would be read again, and
nested operators would multiply that. So the tree is folded into a graph of its different parts;
the parts that cost a scan of a source or of a change feed and have more than one use are kept, and
those that are to be known before the statement runs.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dbt.adapters.ivm_spark.algebra.materialized import Materialized, materialized_name
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import At, Empty, Materialize, Node, Scan
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized


def share_common_subplans(root: Node, token: str = "") -> tuple[tuple[Materialized, ...], Node]:
    """The relations to keep, in the order in which they need each other, and the tree over them.

    Only what is as small as the change, or what the change meets, is kept; a source as a whole is
    not, nor what it was before the change. token: what makes the names this refresh's own.
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
        self._kept: dict[int, Materialized] = {}
        self._done: dict[int, Node] = {}

    def add(self, node: Node) -> int:
        """Number the different parts of a tree and count the uses of each."""
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
        return tuple(self._kept.values()), node

    def _fold(self, node: Node) -> Node:
        number = self._of[id(node)]
        if number not in self._done:
            over = with_children(node, tuple(self._fold(child) for child in children(node)))
            staged = isinstance(over, Materialize)
            over = over.input if isinstance(over, Materialize) else over
            if (staged or self._uses[number] > 1) and is_delta_sized(over) and reads_sources(over):
                name = materialized_name(str(len(self._kept) + 1), self._token)
                kept = Materialized(name, over)
                self._kept[number] = kept
                over = kept.scan
            self._done[number] = over
        return self._done[number]


def _key(node: Node, below: list[int]) -> tuple[Any, ...]:
    """What makes two nodes the same part: their kind, their own fields, and their inputs."""
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
    """Whether a relation reads a source or a feed; one over kept relations only is cheap."""
    if isinstance(node, Scan):
        return node.at is not At.TEMPORARY
    if isinstance(node, Empty):
        return False
    return any(reads_sources(child) for child in children(node))
