"""Of what a small relation meets only the rows with its keys are computed.

A semi, anti or outer join that keeps the rows of its small side can't broadcast them: Spark would
sort and shuffle the whole of the other side. And a partner may be a GROUP BY or a join of big
tables, which would be computed for all keys to meet a few. So the small side's keys go to
the big tables below the partner, by broadcast:

    A ⋉ B = A ⋉ (B ⋉ keys(A))
    A ⋈ groups(B) = A ⋈ groups(B ⋉ keys(A)), where the keys are among what is grouped by

Bernstein, Chiu, "Using semi-joins to solve relational queries" (JACM 1981); Beeri, Ramakrishnan,
"On the power of magic" (PODS 1987).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.few import bound
from dbt.adapters.ivm_spark.delta.shared import is_slim
from dbt.adapters.ivm_spark.delta.sizes import rows_read
from dbt.adapters.ivm_spark.delta.within import SourceFacts, source_type
from dbt.adapters.ivm_spark.view.columns import column, over, passed, used_columns
from dbt.adapters.ivm_spark.view.equality import sides
from dbt.adapters.ivm_spark.view.tree import (
    WEIGHT,
    Aggregate,
    At,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    Sort,
    Stage,
    UnionAll,
    Window,
)
from dbt.adapters.ivm_spark.view.walk import children, with_children

REDUCED_ROWS = 1_000_000
"""Rows of a table from which on to compute what its partners need takes longer than to keep their
keys."""
_MET, _KEY = "__ivm_met_", "__ivm_met_by_"


def reduced(root: Node, changed: Mapping[str, int], sources: Mapping[str, SourceFacts]) -> Node:
    """The same tree with the partners of small relations computed for these relations' keys alone.

    changed: see `with_few`; sources: by quoted name. What is small but of unknown size becomes a
    `Stage`, so that it is computed once and Spark knows its size.
    """
    return _Reducer(changed, sources).node(root)


@dataclass(frozen=True)
class _Key:
    """What a relation's rows are met by: an expression over its columns that equals the column
    number `n` of the small side's keys."""

    value: exp.Expr
    n: int
    null_safe: bool

    def over(self, columns: Mapping[str, exp.Expr]) -> _Key:
        return replace(self, value=over(self.value, columns))


@dataclass(frozen=True)
class _Reducer:
    changed: Mapping[str, int]
    sources: Mapping[str, SourceFacts]

    @property
    def _rows(self) -> dict[str, int]:
        return {name: facts.rows for name, facts in self.sources.items()}

    def node(self, root: Node) -> Node:
        node = with_children(root, tuple(self.node(child) for child in children(root)))
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
        """Both sides, the partner with the small side's keys only."""
        if not is_slim(small) or is_slim(partner):
            return small, partner
        if rows_read(partner, self._rows) < REDUCED_ROWS:
            return small, partner
        known = small
        if bound(small, self.changed) is None and not isinstance(small, Stage):
            known = Stage(small)
        items, keys = [], []
        for n, predicate in enumerate(predicates):
            for mine, other in sides(predicate):
                if _of(mine, small) and _of(other, partner):
                    items.append(Item(f"{_MET}{n}", mine))
                    keys.append(_Key(other, n, isinstance(predicate.unnest(), exp.NullSafeEQ)))
                    break
        found = self._pushed(partner, keys, Project(known, tuple(items))) if keys else None
        return (small, partner) if found is None else (known, found)

    def _pushed(self, node: Node, keys: list[_Key], small: Node) -> Node | None:
        """The relation with only those rows of the big tables below it that can have one of the
        keys; None where there are none to leave out."""
        if is_slim(node) or rows_read(node, self._rows) < REDUCED_ROWS or not keys:
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
            return self._below(node, [k for k in keys if _of(k.value, node.input)], small)
        if isinstance(node, Project):
            made = {item.name: item.expression for item in node.items}
            return self._below(node, [k.over(made) for k in keys], small)
        if isinstance(node, Aggregate):
            made = {item.name: item.expression for item in node.keys}
            passing = [k.over(made) for k in keys if used_columns(k.value) <= made.keys()]
            return self._below(node, passing, small)
        if isinstance(node, Window):
            return self._below(node, [k for k in keys if k.value in node.keys], small)
        if isinstance(node, OuterJoin) and node.side == "LEFT":
            left = self._pushed(node.left, [k for k in keys if _of(k.value, node.left)], small)
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
        """The inputs that have a key, or what a predicate says to be equal to it."""
        wider = [*keys, *(e for k in keys for e in self._equals(node, k))]
        inputs = [
            self._pushed(i, [k for k in wider if _of(k.value, i)], small) for i in node.inputs
        ]
        if all(i is None for i in inputs):
            return None
        both = zip(inputs, node.inputs, strict=True)
        return replace(node, inputs=tuple(own if i is None else i for i, own in both))

    def _equals(self, node: Join, key: _Key) -> list[_Key]:
        """Columns of one type only: of different ones equality need not pass on."""
        found = []
        for predicate in node.predicates if not key.null_safe else ():
            for mine, other in sides(predicate):
                if mine == key.value and self._type(node, mine) == self._type(node, other) != "":
                    found.append(replace(key, value=other))
        return found

    def _into_union(self, node: UnionAll, keys: list[_Key], small: Node) -> Node | None:
        """Every branch whose column has the type of the union's: one that is converted may compare
        in another way before that than after."""
        branches: list[Node] = []
        for branch in node.inputs:
            own = [c for c in branch.columns if c != WEIGHT]
            names = [c for c in node.columns if c != WEIGHT]
            made: dict[str, exp.Expr] = {n: column(c) for n, c in zip(names, own, strict=True)}
            typed = [k for k in keys if self._type(node, k.value)]
            branches.append(self._pushed(branch, [k.over(made) for k in typed], small) or branch)
        if all(a is b for a, b in zip(branches, node.inputs, strict=True)):
            return None
        return UnionAll(tuple(branches))

    def _type(self, node: Node, value: exp.Expr) -> str:
        """The type of a column that is a source's own, the same in all branches; else empty."""
        if not isinstance(value, exp.Column) or value.name not in node.columns:
            return ""
        return source_type(node, value.name, self.sources) or ""


def _of(value: exp.Expr, node: Node) -> bool:
    used = used_columns(value)
    return bool(used) and used <= set(node.columns)


def _is_one_table(node: Node) -> bool:
    """Whether a partner is at most a table's rows, as they are or were: a join by broadcast reads
    it and computes nothing."""
    if isinstance(node, Scan):
        return True
    if isinstance(node, UnionAll):
        return all(_is_one_table(i) or is_slim(i) for i in node.inputs)
    return isinstance(node, (Filter, Project, Sort)) and _is_one_table(node.input)


def _meeting(scan: Scan, keys: list[_Key], small: Node) -> Node:
    """A table's rows with the keys."""
    items, predicates = [], []
    for place, key in enumerate(dict.fromkeys(keys)):
        value = key.value
        if not isinstance(value, exp.Column):
            items.append(Item(f"{_KEY}{place}", value))
            value = column(items[-1].name)
        equal = exp.NullSafeEQ if key.null_safe else exp.EQ
        predicates.append(equal(this=value.copy(), expression=column(f"{_MET}{key.n}")))
    if not items:
        return SemiJoin(scan, small, tuple(predicates))
    rows = Project(scan, (*passed(scan.columns), *items))
    return Project(SemiJoin(rows, small, tuple(predicates)), passed(scan.columns))
