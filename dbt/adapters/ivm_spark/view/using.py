"""JOIN USING of inner joins: the left column, as Spark takes it.

sqlglot writes the joined column as COALESCE(left, right). For an inner join the two are equal and
not null, so the left one is the same value, and the plan that Spark makes.
"""

from __future__ import annotations

from sqlglot import exp


def using_columns(query: exp.Expr) -> frozenset[str]:
    """Lower-case names of the columns that inner joins of the query use."""
    return frozenset(
        column.name.lower()
        for join in query.find_all(exp.Join)
        if not join.side
        for column in join.args.get("using") or ()
    )


def restore_using(query: exp.Query, columns: frozenset[str]) -> exp.Query:
    """Replace COALESCE(a.k, b.k, ...) of a USING column k by a.k."""
    outer = any(join.side for join in query.find_all(exp.Join))
    if not columns or outer:
        return query
    for call in list(query.find_all(exp.Coalesce)):
        parts = [call.this, *call.expressions]
        joined = all(isinstance(p, exp.Column) and p.name.lower() in columns for p in parts)
        if joined and len({p.name for p in parts}) == 1:
            call.replace(parts[0].copy())
    return query
