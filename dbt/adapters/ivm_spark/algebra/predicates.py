"""Predicates: conjuncts, and equalities between two inputs of an operator."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.tree import Node


def equal_pairs(
    predicates: tuple[exp.Expr, ...], left: Node, right: Node
) -> list[tuple[exp.Expr, exp.Expr]]:
    """Return the two sides of each equality between two inputs, the left input's side first."""
    return [p for p in (_pair(e, left, right) for e in predicates) if p is not None]


def equal_columns(
    predicates: tuple[exp.Expr, ...], left: Node, right: Node
) -> Iterator[tuple[str, str, bool]]:
    """Yield (left column, right column, null-safe) of each equality between columns of two inputs.

    Both sides are bare columns. A null-safe equality joins NULL with NULL.
    """
    for predicate in predicates:
        pair = _pair(predicate, left, right)
        if pair is not None and all(isinstance(side, exp.Column) for side in pair):
            null_safe = isinstance(predicate.unnest(), exp.NullSafeEQ)
            yield pair[0].name, pair[1].name, null_safe


def _pair(predicate: exp.Expr, left: Node, right: Node) -> tuple[exp.Expr, exp.Expr] | None:
    for one, other in sides(predicate):
        ones, others = used_columns(one), used_columns(other)
        if ones and others and ones <= set(left.columns) and others <= set(right.columns):
            return one, other
    return None


def conjuncts(predicate: exp.Expr) -> list[exp.Expr]:
    """Return the predicates that AND joins, without the parentheses around an AND."""
    bare = predicate.unnest()
    if isinstance(bare, exp.And):
        return [*conjuncts(bare.left), *conjuncts(bare.right)]
    return [predicate]


def sides(predicate: exp.Expr) -> tuple[tuple[exp.Expr, exp.Expr], ...]:
    """Return the two sides of an equality, null-safe or not, in both orders.

    Return nothing for another predicate.
    """
    bare = predicate.unnest()
    if not isinstance(bare, (exp.EQ, exp.NullSafeEQ)):
        return ()
    return ((bare.left, bare.right), (bare.right, bare.left))
