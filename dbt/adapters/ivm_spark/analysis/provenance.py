"""Which source's own column a column of a tree is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, by_place
from dbt.adapters.ivm_spark.algebra.predicates import equal_columns
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Generate,
    Join,
    Materialize,
    Node,
    OuterJoin,
    Project,
    RuntimeFilter,
    Scan,
    SemiJoin,
    Sort,
    TimeWindow,
    UnionAll,
    Window,
)
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts

_PASSES = (
    Empty,
    Filter,
    Sort,
    Distinct,
    Broadcast,
    Materialize,
    RuntimeFilter,
    SemiJoin,
    Window,
    Generate,
    TimeWindow,
)


@dataclass(frozen=True)
class Provenance:
    """A source's own column.

    Attributes:
        type_name: of the column, in Spark's words.
        rows: rows of the biggest table that has the column, 0 for a column of a change.
    """

    type_name: str
    rows: int


def provenance(node: Node, column: str, sources: Mapping[str, SourceFacts]) -> Provenance | None:
    """Return the source's column that a column is, unchanged; None for a computed column.

    In a union, it must have the same type in all branches.

    Args:
        node: the relation.
        column: one of its columns.
        sources: facts of all sources, by quoted name.
    """
    return _Finder(sources).of(node, column)


class _Finder:
    """One search. A delta has many paths to a node, so each node is looked at once a column."""

    def __init__(self, sources: Mapping[str, SourceFacts]) -> None:
        self._sources = sources
        self._known: dict[tuple[int, str], Provenance | None] = {}

    def of(self, node: Node, column: str) -> Provenance | None:
        key = id(node), column
        if key not in self._known:
            self._known[key] = self._found(node, column)
        return self._known[key]

    def _found(self, node: Node, column: str) -> Provenance | None:
        if isinstance(node, Scan):
            found = dict(node.fields).get(column)
            facts = self._sources.get(node.relation)
            type_name = facts.types.get(found.lower()) if facts is not None and found else None
            if facts is None or type_name is None:
                return None
            return Provenance(type_name, facts.rows if node.at is At.POST else 0)
        if isinstance(node, (Project, Aggregate)):
            items = node.items if isinstance(node, Project) else node.keys
            own_name = as_they_are(items).get(column)
            return None if own_name is None else self.of(node.input, own_name)
        if isinstance(node, _PASSES):
            passed = column in node.input.columns
            return self.of(node.input, column) if passed else None
        if isinstance(node, Join):
            owner = next((i for i in node.inputs if column in i.columns), None)
            return None if owner is None else self.of(owner, column)
        if isinstance(node, OuterJoin):
            owner = node.left if column in node.left.columns else node.right
            return self.of(owner, column)
        return self._of_all(node, column) if isinstance(node, UnionAll) else None

    def _of_all(self, node: UnionAll, column: str) -> Provenance | None:
        """Return the provenance that a union's column has in every branch."""
        own = [dict(by_place(node.columns, child)) for child in node.inputs]
        found = [self.of(c, o[column]) for c, o in zip(node.inputs, own, strict=True)]
        if any(o is None for o in found):
            return None
        types = {o.type_name for o in found if o is not None}
        if len(types) > 1:
            return None
        return Provenance(types.pop(), max(o.rows for o in found if o is not None))


def source_type(node: Node, column: str, sources: Mapping[str, SourceFacts]) -> str | None:
    """Return the type of a column that is a source's own, None for any other column."""
    found = provenance(node, column, sources)
    return None if found is None else found.type_name


def alike_columns(
    predicates: tuple[exp.Expr, ...], left: Node, right: Node, sources: Mapping[str, SourceFacts]
) -> Iterator[tuple[str, str, bool]]:
    """Yield those of `equal_columns` that are sources' own columns of one type on both sides."""
    for mine, other, null_safe in equal_columns(predicates, left, right):
        if source_type(left, mine, sources) == source_type(right, other, sources) is not None:
            yield mine, other, null_safe
