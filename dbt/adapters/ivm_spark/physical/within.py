"""Which parts of a delta's big partners can meet the change: those between the change's keys.

A change of some thousand rows joins a table of millions, and of the table's rows only those with
the change's keys matter. Spark would read them all. A table that is laid out by the key, or by a
time that goes with it, needs few of its files where the ranges of the keys are known beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.equality import equal_columns
from dbt.adapters.ivm_spark.delta.facts import SourceFacts
from dbt.adapters.ivm_spark.physical.shared import is_slim
from dbt.adapters.ivm_spark.view.columns import as_they_are, by_place
from dbt.adapters.ivm_spark.view.tree import (
    Aggregate,
    At,
    Distinct,
    Few,
    Filter,
    Generate,
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
    Within,
)
from dbt.adapters.ivm_spark.view.walk import children, with_children

BIG_ROWS = 5_000_000
"""Rows of a table above which asking for the keys' ranges costs less than what they may save."""
RANGED = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "string")


def with_within(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
    """The same tree with the big inputs that meet a small change marked as `Within` it.

    sources: by quoted name; those that are not there are not narrowed.
    """
    return _mark(root, lambda node, column: _origin(node, column, sources))


@dataclass(frozen=True)
class _Origin:
    type_name: str
    big: bool


_Find = Callable[[Node, str], "_Origin | None"]


def _mark(node: Node, find: _Find) -> Node:
    node = with_children(node, tuple(_mark(child, find) for child in children(node)))
    if isinstance(node, Join):
        inputs = list(node.inputs)
        for n, partner in enumerate(node.inputs):
            for small in node.inputs:
                if small is not partner and inputs[n] is partner:
                    inputs[n] = _narrow(partner, small, node.predicates, find)
        return replace(node, inputs=tuple(inputs))
    if isinstance(node, SemiJoin):
        if is_slim(node.among):
            if node.anti:
                return node
            return replace(node, input=_narrow(node.input, node.among, node.predicates, find))
        return replace(node, among=_narrow(node.among, node.input, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "LEFT":
        return replace(node, right=_narrow(node.right, node.left, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "RIGHT":
        return replace(node, left=_narrow(node.left, node.right, node.predicates, find))
    return node


def _narrow(partner: Node, small: Node, predicates: tuple[exp.Expr, ...], find: _Find) -> Node:
    """The partner within the keys of a small relation, if an equality says which."""
    if is_slim(partner) or not is_slim(small):
        return partner
    for mine, other, null_safe in equal_columns(predicates, partner, small):
        origin, key = find(partner, mine), find(small, other)
        if origin is None or key is None or not origin.big:
            continue
        if origin.type_name == key.type_name and key.type_name in RANGED:
            return Within(partner, small, mine, other, key.type_name, null_safe)
    return partner


def source_type(node: Node, column: str, sources: Mapping[str, SourceFacts]) -> str | None:
    """The type of a relation's column that is a source's own column, unchanged, the same in all
    branches of a union; None for others."""
    origin = _origin(node, column, sources)
    return None if origin is None else origin.type_name


def alike_columns(
    predicates: tuple[exp.Expr, ...], left: Node, right: Node, sources: Mapping[str, SourceFacts]
) -> Iterator[tuple[str, str, bool]]:
    """Of `equal_columns` those that are sources' own columns of one type on both sides."""
    for mine, other, null_safe in equal_columns(predicates, left, right):
        if source_type(left, mine, sources) == source_type(right, other, sources) is not None:
            yield mine, other, null_safe


def _origin(node: Node, column: str, sources: Mapping[str, SourceFacts]) -> _Origin | None:
    """The column of a source that a column is, unchanged."""
    if isinstance(node, Scan):
        found = dict(node.fields).get(column)
        facts = sources.get(node.relation)
        type_name = facts.types.get(found.lower()) if facts is not None and found else None
        if facts is None or type_name is None:
            return None
        return _Origin(type_name, node.at is At.POST and facts.rows >= BIG_ROWS)
    if isinstance(node, (Project, Aggregate)):
        items = node.items if isinstance(node, Project) else node.keys
        own_name = as_they_are(items).get(column)
        return None if own_name is None else _origin(node.input, own_name, sources)
    if isinstance(node, (Filter, Sort, Distinct, Few, Stage, Within, SemiJoin, Window, Generate)):
        passed = column in node.input.columns
        return _origin(node.input, column, sources) if passed else None
    if isinstance(node, Join):
        owner = next((i for i in node.inputs if column in i.columns), None)
        return None if owner is None else _origin(owner, column, sources)
    if isinstance(node, OuterJoin):
        owner = node.left if column in node.left.columns else node.right
        return _origin(owner, column, sources)
    return _of_all(node, column, sources) if isinstance(node, UnionAll) else None


def _of_all(node: UnionAll, column: str, sources: Mapping[str, SourceFacts]) -> _Origin | None:
    """The origin that a union's column has in every branch."""
    own = [dict(by_place(node.columns, child)) for child in node.inputs]
    found = [_origin(c, o[column], sources) for c, o in zip(node.inputs, own, strict=True)]
    if any(o is None for o in found):
        return None
    types = {o.type_name for o in found if o is not None}
    if len(types) > 1:
        return None
    return _Origin(types.pop(), any(o.big for o in found if o is not None))
