"""Which rows of the sources a value of a relation comes from, if a filter on it reaches them.

Ranges of such a value cut the relation into parts that are computed from parts of the sources. Any
other part needs all of the sources' rows, so it takes as long as the whole relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import by_place, column, over, used_columns
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Lateral,
    Mark,
    Node,
    OuterJoin,
    Project,
    ScalarSubquery,
    Scan,
    SemiJoin,
    Sort,
    TimeWindow,
    UnionAll,
    Values,
    Window,
)
from dbt.adapters.ivm_spark.analysis.provenance import source_type
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts

_ROW_BY_ROW = (
    *(Distinct, Filter, Generate, Lateral, Mark, ScalarSubquery, SemiJoin, Sort, TimeWindow),
)
"""Operators that keep, repeat or widen each row of their input whatever the other rows are."""


@dataclass(frozen=True)
class Origin:
    """Where a value comes from.

    Attributes:
        relation: a relation without inputs.
        value: the value over its columns.
    """

    relation: Scan | Values
    value: exp.Expr

    @property
    def source_column(self) -> tuple[Scan, str] | None:
        """Return the scan and the source's column that the value is, None if it is no column."""
        if not isinstance(self.relation, Scan) or not isinstance(self.value, exp.Column):
            return None
        return self.relation, dict(self.relation.fields)[self.value.name]

    @property
    def rows(self) -> Project:
        """Return the values as a relation with one column, `ORIGIN`."""
        return Project(self.relation, (Item(ORIGIN, self.value),))


ORIGIN = "origin"


def origins(node: Node, value: exp.Expr) -> tuple[Origin, ...] | None:
    """Return where a value comes from, None if a filter on it does not reach all of that.

    Args:
        node: the relation.
        value: over its columns.
    """
    used = used_columns(value)
    if not used or isinstance(value, exp.Subquery) or value.find(exp.Query):
        return None
    if isinstance(node, (Scan, Values)):
        return (Origin(node, value),)
    if isinstance(node, UnionAll):
        return _of_all(node, value)
    if isinstance(node, Project):
        return origins(node.input, over(value, _by_name(node.items)))
    if isinstance(node, Aggregate):
        keys = _by_name(node.keys)
        return origins(node.input, over(value, keys)) if used <= keys.keys() else None
    below = _input_with(node, used)
    return None if below is None else origins(below, value)


def value_type(node: Node, value: exp.Expr, sources: Mapping[str, SourceFacts]) -> str | None:
    """Return Spark's name of a value's type, None if no source's column or cast tells.

    Args:
        node: the relation.
        value: over its columns.
        sources: facts of the sources, by quoted name.
    """
    kinds = {_type_there(origin, sources) for origin in origins(node, value) or ()}
    return kinds.pop() if len(kinds) == 1 else None


def _type_there(origin: Origin, sources: Mapping[str, SourceFacts]) -> str | None:
    if isinstance(origin.value, exp.Cast):
        return to_sql(origin.value.to).lower()
    if not isinstance(origin.value, exp.Column):
        return None
    return source_type(origin.relation, origin.value.name, sources)


def _input_with(node: Node, used: set[str]) -> Node | None:
    """Return the input with all columns of a value, if a filter on them commutes with a node."""
    candidates: tuple[Node, ...] = ()
    if isinstance(node, Join):
        candidates = node.inputs
    elif isinstance(node, OuterJoin):
        candidates = {"LEFT": (node.left,), "RIGHT": (node.right,)}.get(node.side, ())
    elif isinstance(node, Window):
        keys = {key.name for key in node.keys if isinstance(key, exp.Column)}
        candidates = (node.input,) if used <= keys else ()
    elif isinstance(node, _ROW_BY_ROW):
        candidates = (node.input,)
    return next((below for below in candidates if used <= set(below.columns)), None)


def _of_all(node: UnionAll, value: exp.Expr) -> tuple[Origin, ...] | None:
    found: list[Origin] = []
    for branch in node.inputs:
        own = {name: column(theirs) for name, theirs in by_place(node.columns, branch)}
        there = origins(branch, over(value, own))
        if there is None:
            return None
        found += there
    return tuple(found)


def _by_name(items: tuple[Item, ...]) -> Mapping[str, exp.Expr]:
    return {item.name: item.expression for item in items}
