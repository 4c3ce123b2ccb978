"""An equality reads the same from either side."""

from __future__ import annotations

from sqlglot import exp


def sides(predicate: exp.Expr) -> tuple[tuple[exp.Expr, exp.Expr], ...]:
    """The two sides of an equality, null-safe or not, in either order; nothing for another
    predicate."""
    bare = predicate.unnest()
    if not isinstance(bare, (exp.EQ, exp.NullSafeEQ)):
        return ()
    return ((bare.left, bare.right), (bare.right, bare.left))
