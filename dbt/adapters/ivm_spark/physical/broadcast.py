"""Mark the inputs of joins that certainly have few rows, so that Spark broadcasts them.

Spark has no statistics of a change feed. To join one with a big partner, it would sort and shuffle
the partner.

    Δorders ⋈ lineitem   →   broadcast(Δorders) ⋈ lineitem

Applies to an input of a join, or to the right input of a semi or anti join, if

1. the changed rows that the sources' commits count bound its rows (`Bounds.of`);
2. that bound is at most `BROADCAST_ROWS`;
3. at least one other input of the join stays unmarked.

A change may have more rows than its source's commits count, if it repeats some: an ivm model that
counts equal rows is such a source. But then no rows become different ones, so the groups of the
change are bounded still.

Rows and columns stay the same: a `Broadcast` only says how to compute the join.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.materialized import Materialized
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up, nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    At,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Scan,
    SemiJoin,
    UnionAll,
    Window,
)

JOINED = 3
"""How many rows of a partner a changed row joins, in most refreshes."""
BROADCAST_ROWS = 500_000
"""The most rows that are broadcast: some tens of megabytes at every worker."""


@dataclass(frozen=True)
class Bounds:
    """The most rows that changes have, and relations that are computed from them.

    Attributes:
        rows: for each source that moved, an upper bound of its changed rows, counted in changes (an
            update is two). Materialized relations may be in it too.
        different: of materialized relations, the most different rows.
        computed: what materialized relations are computed from.
        joined: how many rows materialized relations without a bound probably have.
        known: the answers about columns of those, so that a relation that many others read is
            looked at once.
    """

    rows: Mapping[str, int] = field(default_factory=dict)
    different: Mapping[str, int] = field(default_factory=dict)
    computed: Mapping[str, Node] = field(default_factory=dict)
    joined: Mapping[str, int | None] = field(default_factory=dict)
    known: dict[tuple[str, frozenset[str]], int | None] = field(
        default_factory=dict, compare=False, repr=False
    )

    def of(self, node: Node) -> int | None:
        """Return the most rows that the changes allow a relation, None if they do not bound it."""
        if isinstance(node, Scan):
            return self.rows.get(node.relation) if node.at is not At.POST else None
        if isinstance(node, Empty):
            return 0
        if isinstance(node, Aggregate):
            keys = {column for item in node.keys for column in used_columns(item.expression)}
            return 1 if node.whole else self.different_in(node.input, keys)
        if isinstance(node, Distinct):
            return self.different_in(node.input, set(node.columns))
        if isinstance(node, (Filter, Project, SemiJoin, Broadcast)):
            return self.of(node.input)
        if isinstance(node, UnionAll):
            return _sum(map(self.of, node.inputs))
        if isinstance(node, Generate):
            rows, each = self.of(node.input), _elements(node)
            return None if rows is None or each is None else rows * each
        return None

    def different_in(self, node: Node, columns: Collection[str]) -> int | None:
        """Return the most different values of some columns, None if the changes do not bound them.

        The expressions of a tree give the same value for the same columns.
        """
        if isinstance(node, Scan):
            return self._different_in_scan(node, columns)
        if isinstance(node, (Filter, SemiJoin, Broadcast, Distinct, Window, Generate)):
            if set(columns) <= set(node.input.columns):
                return self.different_in(node.input, columns)
        elif isinstance(node, Project):
            below = (i.expression for i in node.items if i.name in columns)
            return self.different_in(node.input, used_columns(*below))
        elif isinstance(node, UnionAll):
            places = [node.columns.index(column) for column in columns]
            return _sum(
                self.different_in(branch, {branch.columns[place] for place in places})
                for branch in node.inputs
            )
        elif isinstance(node, Join):
            for one in node.inputs:
                if WEIGHT not in columns and set(columns) <= set(one.columns):
                    return self.different_in(one, columns)
        return self.of(node)

    def _different_in_scan(self, scan: Scan, columns: Collection[str]) -> int | None:
        """Return the same for columns of a scan; a materialized relation is bounded by its own."""
        fields, computed = dict(scan.fields), self.computed.get(scan.relation)
        found = [self.different.get(scan.relation), self.of(scan)]
        if computed is not None and fields.keys() >= set(columns):
            own = frozenset(fields[column] for column in columns)
            if (scan.relation, own) not in self.known:
                self.known[scan.relation, own] = self.different_in(computed, own)
            found.append(self.known[scan.relation, own])
        return min((bound for bound in found if bound is not None), default=None)

    def fit_broadcast(self, node: Node) -> bool:
        """Return whether a relation certainly has at most `BROADCAST_ROWS` rows."""
        most = self.of(node)
        return most is not None and most <= BROADCAST_ROWS

    def likely(self, name: str) -> int | None:
        """Return how many rows a materialized relation probably has, None if nothing tells.

        A bound counts each changed row as an update, which is two. A changed row joins `JOINED`
        rows.
        """
        return self.rows[name] * 3 // 4 if name in self.rows else self.joined.get(name)

    def _joined(self, node: Node) -> int | None:
        """Return how many rows the changes that a relation reads probably join."""
        scans = (n for n in nodes(node) if isinstance(n, Scan) and n.at is not At.POST)
        rows = _sum(self.likely(scan.relation) for scan in scans)
        return rows * JOINED if rows else None

    def with_materialized(self, relations: Iterable[Materialized]) -> Bounds:
        """Return the bounds with those of materialized relations.

        The relations come in the order in which they are computed: each may read earlier ones.
        """
        found = self
        for relation in relations:
            name, node = relation.name, relation.relation
            rows, different = found.of(node), found.different_in(node, set(node.columns))
            found = Bounds(
                found.rows if rows is None else {**found.rows, name: rows},
                found.different if different is None else {**found.different, name: different},
                {**found.computed, name: node},
                {**found.joined, name: found._joined(node)},
                found.known,
            )
        return found


def with_broadcasts(root: Node, bounds: Bounds) -> Node:
    """Return the same tree with the small inputs of its joins marked as `Broadcast`."""
    return bottom_up(root, lambda node: _broadcast(node, bounds))


def _broadcast(node: Node, bounds: Bounds) -> Node:
    if isinstance(node, SemiJoin):
        stays = isinstance(node.among, Broadcast) or not bounds.fit_broadcast(node.among)
        return node if stays else replace(node, among=Broadcast(node.among))
    if isinstance(node, Join):
        marked = tuple(Broadcast(i) if bounds.fit_broadcast(i) else i for i in node.inputs)
        if any(not isinstance(i, Broadcast) for i in marked):
            return replace(node, inputs=marked)
    return node


def _elements(node: Generate) -> int | None:
    """Return how many rows become of each input row, None if only the data tell."""
    array = node.generator.this if isinstance(node.generator, exp.Explode) else None
    if not isinstance(array, exp.Anonymous) or array.name.lower() != "array":
        return None
    return len(array.expressions) or int(node.outer)


def _sum(bounds: Iterable[int | None]) -> int | None:
    total = 0
    for bound in bounds:
        if bound is None:
            return None
        total += bound
    return total
