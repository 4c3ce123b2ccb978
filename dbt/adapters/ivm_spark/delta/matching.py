"""The delta of outer joins and of set operations.

A FULL JOIN by an equality, INTERSECT and EXCEPT are operators of touched keys.

Source: Larson, Zhou, "Efficient maintenance of materialized outer-join views" (ICDE 2007). They
keep the inner delta and the dangling rows of a FULL JOIN apart; here the touched keys' rows give
both at once.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.predicates import equal_pairs
from dbt.adapters.ivm_spark.algebra.tree import Item, Node, OuterJoin, Project, SetOp
from dbt.adapters.ivm_spark.delta.bags import SIDE
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.linear import delta_full_join, delta_one_sided_join
from dbt.adapters.ivm_spark.delta.touched import Input, touched


def delta_outer_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """Return matches and dangling rows, old and new."""
    if node.side != "FULL":
        return delta_one_sided_join(node, derive, context)
    pairs = equal_pairs(node.predicates, node.left, node.right)
    if not pairs:
        return delta_full_join(node, derive, context)
    left = Input(node.left, derive(node.left), tuple(a for a, _ in pairs))
    right = Input(node.right, derive(node.right), tuple(b for _, b in pairs))
    return touched((left, right), lambda i: _full_join(node, i[0], i[1]))


def delta_set_op(node: SetOp, derive: Derive, context: Context) -> Node | None:
    """Return INTERSECT or EXCEPT of the touched rows, old and new; with ALL, of their copies."""
    left, right = (
        Input(side, derive(side), tuple(column(c) for c in side.columns))
        for side in (node.left, node.right)
    )
    return touched((left, right), lambda i: replace(node, left=i[0], right=i[1]), copies=node.all)


def _full_join(node: OuterJoin, left: Node, right: Node) -> Node:
    """Join within each side; a row without a partner has its own side."""
    other = f"{SIDE}_right"
    items = passed(node.right.columns)
    right = Project(right, (*items, Item(other, column(SIDE))))
    same = exp.EQ(this=column(SIDE), expression=column(other))
    joined = replace(node, left=left, right=right, predicates=(*node.predicates, same))
    side = exp.Coalesce(this=column(SIDE), expressions=[column(other)])
    return Project(joined, (*passed(node.columns), Item(SIDE, side)))
