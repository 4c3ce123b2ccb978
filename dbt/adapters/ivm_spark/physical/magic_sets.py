"""Compute only the changed groups that pass the filter on the joined table: magic sets.

A change touches a hundred thousand groups, and a join above keeps those of one brand. The delta
computes the touched groups from all their rows in a big table. The pass filters the touched keys by
the partner first:

    groups(B ⋉ K) ⋈ P   →   groups(B ⋉ (K ⋉ P)) ⋈ P

Applies to an input of a join if

1. nothing else in the delta reads it: a common subplan is computed once for all its uses;
2. it is about as small as the change (`is_delta_sized`), and slices a table of at least `LONG_ROWS`
   rows by the change;
3. it is joined with the partner P by a column that is a source's own, of one type on both sides;
4. this column is passed down as it is, through group keys, to a scan of the change;
5. P filters a source at its new version by predicates that cannot raise (`cannot_raise`);
6. this source has at most 1/`SMALLER` of the rows of the biggest source that the input reads.

The rows of the join stay the same. The change that the pre-state takes back is filtered too, so all
rows of a key are there or none.

Source: Beeri, Ramakrishnan, "On the power of magic" (PODS 1987); Mumick, Pirahesh, "Implementation
of magic-sets in a relational database system" (SIGMOD 1994).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, by_place, column
from dbt.adapters.ivm_spark.algebra.predicates import sides
from dbt.adapters.ivm_spark.algebra.traversal import children, nodes, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Distinct,
    Empty,
    Filter,
    Generate,
    Item,
    Join,
    Node,
    Project,
    Scan,
    SemiJoin,
    Sort,
    UnionAll,
)
from dbt.adapters.ivm_spark.analysis.cannot_raise import cannot_raise
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized, rows_read
from dbt.adapters.ivm_spark.analysis.provenance import alike_columns
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of

LONG_ROWS = 5_000_000
"""A table with at least so many rows makes it worth filtering its groups by their partner first."""
SMALLER = 4
"""The partner's filtered table has to be at least this many times smaller."""
_LET_THROUGH = "__ivm_let_through"


def push_magic_sets(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
    """Return the same delta with groups computed only for keys that pass their partners' filters.

    Args:
        root: a delta. What it uses more than once stays as it is.
        sources: facts of all sources, by quoted name.
    """
    return _Restricting(sources, rows_of(sources), _uses(root)).node(root)


@dataclass
class _Restricting:
    sources: Mapping[str, SourceFacts]
    rows: Mapping[str, int]
    uses: Mapping[int, int]
    """The number of parents of each node of the delta, by the node's identity."""
    done: dict[int, Node] = field(default_factory=dict)

    def node(self, node: Node) -> Node:
        if id(node) not in self.done:
            own = self._join(node) if isinstance(node, Join) else node
            below = tuple(self.node(child) for child in children(own))
            same = all(a is b for a, b in zip(below, children(own), strict=True))
            self.done[id(node)] = own if same else with_children(own, below)
        return self.done[id(node)]

    def _join(self, node: Join) -> Join:
        inputs = tuple(self._input(node, i) for i in node.inputs)
        same = all(a is b for a, b in zip(inputs, node.inputs, strict=True))
        return node if same else replace(node, inputs=inputs)

    def _input(self, node: Join, groups: Node) -> Node:
        if (
            self.uses.get(id(groups)) != 1
            or not is_delta_sized(groups)
            or not self._is_long(groups)
        ):
            return groups
        found = (self._for(groups, p, node.predicates) for p in node.inputs if p is not groups)
        return next((f for f in found if f is not None), groups)

    def _is_long(self, node: Node) -> bool:
        return any(
            isinstance(n, SemiJoin) and is_delta_sized(n.among) and self._rows(n.input) >= LONG_ROWS
            for n in nodes(node)
        )

    def _for(self, groups: Node, partner: Node, predicates: tuple[exp.Expr, ...]) -> Node | None:
        """Return the groups that pass the partner's filter.

        It returns None if the partner has no filter, or if no key of the groups is joined with it.
        """
        for mine, other, _ in alike_columns(predicates, groups, partner, self.sources):
            through = _let_through(partner, other, predicates, self.sources)
            if through is None or SMALLER * self._rows(through) > self._rows(groups):
                continue
            found = _with_keys(groups, mine, through, self.sources)
            if found is not None:
                return found
        return None

    def _rows(self, node: Node) -> int:
        return rows_read(node, self.rows)


def _uses(root: Node) -> dict[int, int]:
    uses: dict[int, int] = {id(root): 1}
    waiting = [root]
    while waiting:
        for child in children(waiting.pop()):
            if id(child) not in uses:
                waiting.append(child)
            uses[id(child)] = uses.get(id(child), 0) + 1
    return uses


def _let_through(
    node: Node, name: str, predicates: tuple[exp.Expr, ...], sources: Mapping[str, SourceFacts]
) -> Node | None:
    """Return all values of a column that pass a filter on its table, as the column `_LET_THROUGH`.

    There may be other values among them. Without such a filter, it returns None.

    Args:
        node: the relation that has the column.
        name: of the column.
        predicates: hold for the node's rows. Those that read this table alone are such filters.
        sources: facts of all sources, by quoted name.
    """

    def among(nodes: Iterable[Node], known: tuple[exp.Expr, ...]) -> Node | None:
        """Return the values that the first node with the column, or an equal one, lets through."""
        equal = {name, *_equals(name, node)}
        tables = ((n, e) for n in nodes for e in n.columns if e in equal)
        return next((t for n, e in tables if (t := _let_through(n, e, known, sources))), None)

    if isinstance(node, Scan):
        types = _types(node, sources)
        own = [p for p in predicates if cannot_raise(p, types)]
        if not own or node.at is not At.POST:
            return None
        return Project(Filter(node, exp.and_(*own)), (Item(_LET_THROUGH, column(name)),))
    if isinstance(node, Filter):
        return _let_through(node.input, name, (node.predicate, *predicates), sources)
    if isinstance(node, Project):
        own_name = as_they_are(node.items).get(name)
        return None if own_name is None else _let_through(node.input, own_name, (), sources)
    if isinstance(node, SemiJoin) and not node.anti:
        return among((node.input, node.among), ())
    if isinstance(node, SemiJoin):
        return _let_through(node.input, name, (), sources)
    if isinstance(node, Join):
        return among(node.inputs, (*node.predicates, *predicates))
    if isinstance(node, UnionAll):
        # The pre-state of a table is its post-state minus the change.
        every = [_let_through(i, n, (), sources) for i, n in _by_branch(node, name)]
        return every[0] if all(e == every[0] for e in every) else None
    return None


def _equals(name: str, node: Node) -> Iterator[str]:
    """Yield the columns that a join's predicates equate with one of its columns."""
    for predicate in node.predicates if isinstance(node, (Join, SemiJoin)) else ():
        for one, other in sides(predicate):
            if one == column(name) and isinstance(other, exp.Column):
                yield other.name


def _by_branch(node: UnionAll, name: str) -> list[tuple[Node, str]]:
    """Return the branches of a union, each with its own name of the column."""
    return [(i, dict(by_place(node.columns, i))[name]) for i in node.inputs]


def _copies(node: Node, name: str) -> set[str]:
    """Return all names of a column."""
    own = as_they_are(node.items) if isinstance(node, Project) else {}
    return {name, *(n for n, o in own.items() if o == own.get(name))}


def _types(scan: Scan, sources: Mapping[str, SourceFacts]) -> dict[str, str]:
    facts = sources.get(scan.relation)
    known = facts.types if facts is not None else {}
    return {n: known[own.lower()] for n, own in scan.fields if own.lower() in known}


def _with_keys(
    node: Node, name: str, through: Node, sources: Mapping[str, SourceFacts]
) -> Node | None:
    """Return a relation with only the rows whose column `name` is let through.

    The semi join is put as far down as the change. If it cannot be put there, the function returns
    None.
    """

    def below(child: Node, own: str) -> Node | None:
        return _with_keys(child, own, through, sources)

    if not is_delta_sized(node):
        return None
    if isinstance(node, Empty):
        return node
    if isinstance(node, Scan):
        same = exp.EQ(this=column(name), expression=column(_LET_THROUGH))
        return SemiJoin(node, through, (same,))
    if isinstance(node, (Project, Aggregate)):
        items = node.items if isinstance(node, Project) else node.keys
        own_name = as_they_are(items).get(name)
        found = None if own_name is None else below(node.input, own_name)
        return None if found is None else replace(node, input=found)
    if isinstance(node, (Filter, Sort, Distinct, Generate)):
        found = below(node.input, name) if name in node.input.columns else None
        return None if found is None else replace(node, input=found)
    if isinstance(node, SemiJoin):
        copies = _copies(node.input, name)
        for mine, other, _ in alike_columns(node.predicates, node.input, node.among, sources):
            met = below(node.among, other) if mine in copies and not node.anti else None
            if met is not None:
                return replace(node, among=met)
        found = below(node.input, name)
        return None if found is None else replace(node, input=found)
    if isinstance(node, Join):
        names = {name, *_equals(name, node)}
        pairs = ((i, n) for i in node.inputs for n in i.columns if n in names)
        less = {id(i): found for i, n in pairs if (found := below(i, n)) is not None}
        inputs = tuple(less.get(id(i), i) for i in node.inputs)
        return replace(node, inputs=inputs) if less else None
    if isinstance(node, UnionAll):
        every = [below(i, n) for i, n in _by_branch(node, name)]
        found_all = tuple(e for e in every if e is not None)
        return UnionAll(found_all) if len(found_all) == len(every) else None
    return None
