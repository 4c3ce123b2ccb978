"""The delta of outer, semi and anti joins by equality, and of set operations: touched keys.

Larson, Zhou, "Efficient maintenance of materialized outer-join views" (ICDE 2007) keeps the inner
delta and the dangling rows apart; here both come out of the touched keys' rows at once.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.touched import Input, touched
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.view.tree import (
    Node,
    OuterJoin,
    SemiJoin,
    SetOp,
    column,
    used_columns,
)


def delta_outer_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """Matches and dangling rows of the touched join keys, as they were and as they are."""
    left, right = _sides(node.left, node.right, node.predicates, f"{node.side} JOIN", derive)
    return touched((left, right), lambda i: replace(node, left=i[0], right=i[1]))


def delta_semi_join(node: SemiJoin, derive: Derive, context: Context) -> Node | None:
    """Rows that have, or have no, partner under the touched keys."""
    clause = "NOT EXISTS" if node.anti else "EXISTS"
    given, among = _sides(node.input, node.among, node.predicates, clause, derive)
    return touched((given, among), lambda i: replace(node, input=i[0], among=i[1]))


def delta_set_op(node: SetOp, derive: Derive, context: Context) -> Node | None:
    """INTERSECT and EXCEPT of the touched rows' copies, as they were and as they are."""
    left, right = (
        Input(side, derive(side), tuple(column(c) for c in side.columns))
        for side in (node.left, node.right)
    )
    return touched((left, right), lambda i: replace(node, left=i[0], right=i[1]))


def equal_pairs(
    predicates: tuple[exp.Expr, ...], left: Node, right: Node
) -> list[tuple[exp.Expr, exp.Expr]]:
    """The two sides of each equality between two inputs, the left input's first."""
    return [p for p in (_pair(e, left, right) for e in predicates) if p is not None]


def _sides(
    left: Node, right: Node, predicates: tuple[exp.Expr, ...], clause: str, derive: Derive
) -> tuple[Input, Input]:
    pairs = equal_pairs(predicates, left, right)
    if not pairs:
        raise NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, f"{clause} without an equality")
    return (
        Input(left, derive(left), tuple(a for a, _ in pairs)),
        Input(right, derive(right), tuple(b for _, b in pairs)),
    )


def _pair(predicate: exp.Expr, left: Node, right: Node) -> tuple[exp.Expr, exp.Expr] | None:
    """The two sides of an equality between the inputs, the left input's first."""
    bare = predicate.unnest()
    if not isinstance(bare, (exp.EQ, exp.NullSafeEQ)):
        return None
    a, b = bare.left, bare.right
    for one, other in ((a, b), (b, a)):
        ones, others = used_columns(one), used_columns(other)
        if ones and others and ones <= set(left.columns) and others <= set(right.columns):
            return one, other
    return None
