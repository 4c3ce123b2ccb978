"""Compute only the rows of a partner that have the keys of a small relation: semi-join reduction.

A semi, anti or outer join that preserves the rows of its small side cannot broadcast that side.
Spark would sort and shuffle the whole other side. A partner may also be a GROUP BY or a join of big
tables, which Spark would compute for all keys to match a few. So the pass semi-joins the big tables
below the partner with the small side's keys, which Spark broadcasts:

    A ⋉ B           →   A ⋉ (B ⋉ keys(A))
    A ⋈ groups(B)   →   A ⋈ groups(B ⋉ keys(A)), if the keys are group keys

Applies to a small side A and its partner if

1. A is about as small as the change (`is_delta_sized`), and the partner is not;
2. the biggest source that the partner reads has at least `REDUCED_ROWS` rows;
3. they are joined by columns that are sources' own, of one type on both sides;
4. such a column is passed down as it is to a big source at its new version. On its way it is a key
   of every group and of every window's partition that it crosses.

An inner join reduces only partners that compute something. A broadcast join reads a mere table as
cheaply.

The rows of the join stay the same. A small side of unknown size becomes a `Materialize`, so that it
is computed once and Spark knows its size.

Source: Bernstein, Chiu, "Using semi-joins to solve relational queries" (JACM 1981); Beeri,
Ramakrishnan, "On the power of magic" (PODS 1987).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, by_place, column
from dbt.adapters.ivm_spark.algebra.predicates import sides
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Materialize,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    Sort,
    UnionAll,
    Window,
)
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized, rows_read
from dbt.adapters.ivm_spark.analysis.provenance import alike_columns, source_type
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.physical.broadcast import Bounds

REDUCED_ROWS = 1_000_000
"""A partner that reads a table with at least so many rows takes longer to compute than the keys
take to materialize."""
_MET = "__ivm_met_"


def reduce_partners(root: Node, bounds: Bounds, sources: Mapping[str, SourceFacts]) -> Node:
    """Return the same tree with partners computed only for the keys of small relations.

    Args:
        root: a delta.
        bounds: of the changes.
        sources: facts of all sources, by quoted name.
    """
    return bottom_up(root, _Reducer(bounds, sources, rows_of(sources)).node)


@dataclass(frozen=True)
class _Key:
    """A column by which a relation joins the keys of the small side.

    It is always a source's own column: computing a value might fail for rows that a filter in
    between removes.

    Attributes:
        column: the relation's column.
        n: the number of the key column that it equals, which has the same type.
        null_safe: NULL equals NULL.
    """

    column: str
    n: int
    null_safe: bool


@dataclass(frozen=True)
class _Reducer:
    bounds: Bounds
    sources: Mapping[str, SourceFacts]
    rows: Mapping[str, int]

    def node(self, node: Node) -> Node:
        if isinstance(node, SemiJoin):
            small, among = self._met(node.input, node.among, node.predicates)
            if not node.anti and not _is_one_table(small):
                among, small = self._met(among, small, node.predicates)
            return replace(node, input=small, among=among)
        if isinstance(node, OuterJoin) and node.side == "LEFT":
            left, right = self._met(node.left, node.right, node.predicates)
            return replace(node, left=left, right=right)
        if isinstance(node, OuterJoin) and node.side == "RIGHT":
            right, left = self._met(node.right, node.left, node.predicates)
            return replace(node, left=left, right=right)
        if isinstance(node, Join):
            first, *partners = node.inputs
            for n, partner in enumerate(partners):
                if not _is_one_table(partner):
                    first, partners[n] = self._met(first, partner, node.predicates)
            return replace(node, inputs=(first, *partners))
        return node

    def _met(
        self, small: Node, partner: Node, predicates: tuple[exp.Expr, ...]
    ) -> tuple[Node, Node]:
        """Return both sides, the partner with the small side's keys only."""
        if not is_delta_sized(small) or is_delta_sized(partner):
            return small, partner
        if rows_read(partner, self.rows) < REDUCED_ROWS:
            return small, partner
        known = small
        if self.bounds.of(small) is None and not isinstance(small, Materialize):
            known = Materialize(small)
        items: list[Item] = []
        keys: list[_Key] = []
        for mine, other, null_safe in alike_columns(predicates, small, partner, self.sources):
            keys.append(_Key(other, len(keys), null_safe))
            items.append(Item(f"{_MET}{len(items)}", column(mine)))
        found = self._pushed(partner, keys, Project(known, tuple(items))) if keys else None
        return (small, partner) if found is None else (known, found)

    def _pushed(self, node: Node, keys: list[_Key], small: Node) -> Node | None:
        """Return a relation with only those rows of its big tables that can have one of the keys.

        If no rows can be left out, it returns None.
        """
        if is_delta_sized(node) or rows_read(node, self.rows) < REDUCED_ROWS or not keys:
            return None
        if isinstance(node, Scan):
            return _meeting(node, keys, small) if node.at is At.POST else None
        if isinstance(node, (Filter, Sort, Distinct)):
            below = self._pushed(node.input, keys, small)
            return None if below is None else replace(node, input=below)
        if isinstance(node, SemiJoin):
            below = self._pushed(node.input, keys, small)
            if below is None:
                return None
            below, among = self._met(below, node.among, node.predicates)
            return replace(node, input=below, among=among)
        if isinstance(node, Generate):
            return self._below(node, _among(keys, node.input.columns), small)
        if isinstance(node, (Project, Aggregate)):
            items = node.items if isinstance(node, Project) else node.keys
            return self._below(node, _renamed(keys, as_they_are(items)), small)
        if isinstance(node, Window):
            partitions = [k.name for k in node.keys if isinstance(k, exp.Column)]
            return self._below(node, _among(keys, partitions), small)
        if isinstance(node, OuterJoin) and node.side == "LEFT":
            left = self._pushed(node.left, _among(keys, node.left.columns), small)
            if left is None:
                return None
            left, right = self._met(left, node.right, node.predicates)
            return replace(node, left=left, right=right)
        if isinstance(node, Join):
            return self._into_join(node, keys, small)
        if isinstance(node, UnionAll):
            return self._into_union(node, keys, small)
        return None

    def _below(
        self, node: Generate | Project | Aggregate | Window, keys: list[_Key], small: Node
    ) -> Node | None:
        below = self._pushed(node.input, keys, small)
        return None if below is None else replace(node, input=below)

    def _into_join(self, node: Join, keys: list[_Key], small: Node) -> Node | None:
        """Reduce the inputs that have a key, or a column that a predicate equates with one."""
        wider = [*keys, *(e for k in keys for e in self._equals(node, k))]
        inputs = [self._pushed(i, _among(wider, i.columns), small) for i in node.inputs]
        if all(i is None for i in inputs):
            return None
        both = zip(inputs, node.inputs, strict=True)
        return replace(node, inputs=tuple(own if i is None else i for i, own in both))

    def _equals(self, node: Join, key: _Key) -> list[_Key]:
        """Return the columns of the same type that a join equates with a key.

        Between columns of different types, equality need not be transitive.
        """
        own = column(key.column)
        both = (pair for p in node.predicates if not key.null_safe for pair in sides(p))
        equal = (other for mine, other in both if mine == own and isinstance(other, exp.Column))
        of_type = self._type(node, key.column)
        return [replace(key, column=e.name) for e in equal if self._type(node, e.name) == of_type]

    def _into_union(self, node: UnionAll, keys: list[_Key], small: Node) -> Node | None:
        """Reduce every branch; a key has one type in all of them, or it would be no key."""
        branches = [
            self._pushed(i, _renamed(keys, dict(by_place(node.columns, i))), small) or i
            for i in node.inputs
        ]
        if all(a is b for a, b in zip(branches, node.inputs, strict=True)):
            return None
        return replace(node, inputs=tuple(branches))

    def _type(self, node: Node, name: str) -> str | None:
        return source_type(node, name, self.sources)


def _among(keys: list[_Key], columns: Collection[str]) -> list[_Key]:
    return [k for k in keys if k.column in columns]


def _renamed(keys: list[_Key], names: Mapping[str, str]) -> list[_Key]:
    return [replace(k, column=names[k.column]) for k in keys if k.column in names]


def _is_one_table(node: Node) -> bool:
    """Return whether a partner is at most one table's rows, new or old.

    A broadcast join reads such a partner and computes nothing.
    """
    if isinstance(node, Scan):
        return True
    if isinstance(node, UnionAll):
        return all(_is_one_table(i) or is_delta_sized(i) for i in node.inputs)
    return isinstance(node, (Filter, Project, Sort)) and _is_one_table(node.input)


def _meeting(scan: Scan, keys: list[_Key], small: Node) -> SemiJoin:
    """Return a table's rows that have the keys."""
    predicates = []
    for key in dict.fromkeys(keys):
        equal = exp.NullSafeEQ if key.null_safe else exp.EQ
        met = column(f"{_MET}{key.n}")
        predicates.append(equal(this=column(key.column), expression=met))
    return SemiJoin(scan, small, tuple(predicates))
