"""The rows that match a changed row of another relation.

NOT IN compares with `x = y OR isnull(x = y)`. Spark has no hash join for it: it would compare all
rows with all changed rows. So the rows are split in three: rows with an equal value, by a hash
join; rows whose own value is NULL; and the others, which only a changed NULL matches.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.tree import Filter, Node, SemiJoin, UnionAll
from dbt.adapters.ivm_spark.delta.bags import without_weight


def met_rows(rows: Node, changed: Node, predicates: tuple[exp.Expr, ...]) -> Node:
    """Return the weighted rows that have a partner in a delta."""
    others = without_weight(changed)
    unknowns = [p for p in predicates if null_aware(p) is not None]
    same = null_aware(unknowns[0]) if len(unknowns) == 1 else None
    if same is None:
        return SemiJoin(rows, others, predicates)
    tied = tuple(p for p in predicates if p is not unknowns[0])
    x, y = same.left, same.right
    if not used_columns(x) <= set(rows.columns):
        x, y = y, x
    equal = (same, *tied)
    lonely = SemiJoin(Filter(rows, _is_null(x, negated=True)), others, equal, anti=True)
    return UnionAll(
        (
            SemiJoin(rows, others, equal),
            SemiJoin(Filter(rows, _is_null(x)), others, tied),
            SemiJoin(lonely, Filter(others, _is_null(y)), tied),
        )
    )


def null_aware(predicate: exp.Expr) -> exp.EQ | None:
    """Return the equality of a predicate `x = y OR isnull(x = y)`, None for any other predicate."""
    bare = predicate.unnest()
    if not isinstance(bare, exp.Or) or not isinstance(bare.right, exp.Is):
        return None
    same, tested = bare.left.unnest(), bare.right.this.unnest()
    null = isinstance(bare.right.expression, exp.Null)
    return same if isinstance(same, exp.EQ) and same == tested and null else None


def _is_null(expression: exp.Expr, negated: bool = False) -> exp.Expr:
    test = exp.Is(this=exp.paren(expression), expression=exp.null())
    return exp.Not(this=test) if negated else test
