"""Of groups that change only those are computed that a filter on their partner lets through.

A change touches a hundred thousand groups, and the join above asks for those of one brand. The
touched groups are computed from all rows of a big table, so what the partner's filter leaves goes
down to the touched keys first:

    groups(B ⋉ K) ⋈ P = groups(B ⋉ (K ⋉ P)) ⋈ P, where the join is by what is grouped by

The change is taken back from the groups as they were, so it is restricted too: all rows of a key
are there or none. Beeri, Ramakrishnan, "On the power of magic" (PODS 1987); Mumick, Pirahesh,
"Implementation of magic-sets in a relational database system" (SIGMOD 1994).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, by_place, column
from dbt.adapters.ivm_spark.algebra.predicates import sides
from dbt.adapters.ivm_spark.algebra.traversal import children, walk, with_children
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
"""Rows of a table from which on groups of it are worth a look at their partner first."""
SMALLER = 4
"""Times that the partner's filtered table has fewer rows at the least."""
_LET_THROUGH = "__ivm_let_through"


def push_magic_sets(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
    """The same delta with groups computed for the keys that their partners let through.

    sources: by quoted name. What the delta says more than once stays as it is: it is computed once
    for all its uses.
    """
    return _Restricting(sources, rows_of(sources), _uses(root)).node(root)


@dataclass
class _Restricting:
    sources: Mapping[str, SourceFacts]
    rows: Mapping[str, int]
    uses: Mapping[int, int]
    """Of each node that was there, by identity: how many nodes are over it."""
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
            for n in walk(node)
        )

    def _for(self, groups: Node, partner: Node, predicates: tuple[exp.Expr, ...]) -> Node | None:
        """The groups that the partner's filter lets through; None where it has none, or they are
        of no key that it is met by."""
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
    """All values of a column that a filter on its table leaves, with maybe others, as the column
    `_LET_THROUGH`; None without such a filter.

    predicates: that hold for the node's rows, of which those of the table alone are such filters.
    """

    def among(nodes: Iterable[Node], known: tuple[exp.Expr, ...]) -> Node | None:
        """What the first of the nodes lets through that has the column or one equal to it."""
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
        # A table's rows as they were are those that are there and the change taken back.
        every = [_let_through(i, n, (), sources) for i, n in _by_branch(node, name)]
        return every[0] if all(e == every[0] for e in every) else None
    return None


def _equals(name: str, node: Node) -> Iterator[str]:
    """The columns that a join's predicates say to be equal to one of its columns."""
    for predicate in node.predicates if isinstance(node, (Join, SemiJoin)) else ():
        for one, other in sides(predicate):
            if one == column(name) and isinstance(other, exp.Column):
                yield other.name


def _by_branch(node: UnionAll, name: str) -> list[tuple[Node, str]]:
    """The branches of a union, each with its own name of the column."""
    return [(i, dict(by_place(node.columns, i))[name]) for i in node.inputs]


def _copies(node: Node, name: str) -> set[str]:
    """A column under all of its names."""
    own = as_they_are(node.items) if isinstance(node, Project) else {}
    return {name, *(n for n, o in own.items() if o == own.get(name))}


def _types(scan: Scan, sources: Mapping[str, SourceFacts]) -> dict[str, str]:
    facts = sources.get(scan.relation)
    known = facts.types if facts is not None else {}
    return {n: known[own.lower()] for n, own in scan.fields if own.lower() in known}


def _with_keys(
    node: Node, name: str, through: Node, sources: Mapping[str, SourceFacts]
) -> Node | None:
    """The relation with no rows but those whose column `name` is let through, told as far below as
    the change; None where it can't be told there."""

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
