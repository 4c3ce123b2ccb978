"""Bags with weights: the pre-state of a relation, from its post-state and its delta alone."""

from __future__ import annotations

from typing import TypeGuard

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed, repeated
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    Filter,
    Generate,
    Item,
    Node,
    Project,
    UnionAll,
)

SIDE = "__ivm_side"
"""1 for a row of the post-state, -1 for a row of the pre-state."""

_TIMES = "__ivm_times"
_TAKEN_BACK = Item(WEIGHT, exp.Neg(this=column(WEIGHT)))


def before(post: Node, delta: Node) -> Node:
    """Return the pre-state as weighted rows, not netted: post ⊎ -Δ."""
    taken = Project(delta, (*passed(post.columns), _TAKEN_BACK))
    return UnionAll((weighted(post, 1), taken), widens=False)


def netted_before(post: Node, delta: Node, copies: bool = True) -> Node:
    """Return the pre-state as rows: equal rows are netted, and each occurs as often as it did.

    Args:
        post: the post-state. Its columns must be comparable.
        delta: of the relation.
        copies: False if each distinct row is enough, once.
    """
    return _netted(before(post, delta), post.columns, copies)


def both_sides(rows: Node, side: str = SIDE) -> Node:
    """Return every row twice, once for each side."""
    sides = exp.Anonymous(this="array", expressions=[_number(1), _number(-1)])
    return Generate(rows, exp.Explode(this=sides), (side,))


def is_both_sides(node: Node) -> TypeGuard[Generate]:
    """Return whether a relation is that of `both_sides`, with the usual name of the column."""
    return isinstance(node, Generate) and node.outputs == (SIDE,)


def now_and_before(now: Node, delta: Node | None, copies: bool = True) -> Node:
    """Return the rows of the post-state and of the pre-state, told apart by the column `SIDE`.

    Equal rows of a side are netted. The post-state is evaluated once.

    Args:
        now: the post-state.
        delta: of the relation, None if it did not change.
        copies: False if each distinct row is enough, once.
    """
    twice = both_sides(now)
    if delta is None:
        return twice
    columns = (*now.columns, SIDE)
    gained = Project(twice, (*passed(columns), Item(WEIGHT, _number(1))))
    taken = Project(delta, (*passed(now.columns), Item(SIDE, _number(-1)), _TAKEN_BACK))
    return _netted(UnionAll((gained, taken), widens=False), columns, copies)


def netted(delta: Node) -> Node:
    """Return a delta without the rows whose weights add up to 0."""
    columns = tuple(c for c in delta.columns if c != WEIGHT)
    counted = _counted(delta, columns)
    moved = Filter(counted, exp.NEQ(this=column(_TIMES), expression=_number(0)))
    return Project(moved, (*passed(columns), Item(WEIGHT, column(_TIMES))))


def weighted(node: Node, weight: int) -> Node:
    """Return every row of a relation with one weight."""
    return Project(node, (*passed(node.columns), Item(WEIGHT, _number(weight))))


def without_weight(delta: Node) -> Node:
    """Return the rows of a delta, inserted or deleted, without their weights."""
    return Project(delta, passed(tuple(c for c in delta.columns if c != WEIGHT)))


def _netted(weights: Node, columns: tuple[str, ...], copies: bool) -> Node:
    counted = _counted(weights, columns)
    left = Filter(counted, exp.GT(this=column(_TIMES), expression=_number(0)))
    return repeated(left, _TIMES, columns) if copies else Project(left, passed(columns))


def _counted(weights: Node, columns: tuple[str, ...]) -> Aggregate:
    """Return the distinct rows, each with the sum of its weights."""
    return Aggregate(weights, passed(columns), (Item(_TIMES, exp.Sum(this=column(WEIGHT))),))


def _number(value: int) -> exp.Expr:
    number = exp.Literal.number(abs(value))
    return exp.Neg(this=number) if value < 0 else number
