"""The predicates that AND joins."""

from __future__ import annotations

from sqlglot import exp


def conjuncts(predicate: exp.Expr) -> list[exp.Expr]:
    """The predicates that AND joins, parentheses around AND taken off."""
    bare = predicate.unnest()
    if isinstance(bare, exp.And):
        return [*conjuncts(bare.left), *conjuncts(bare.right)]
    return [predicate]
