"""The delta of semi, anti, left and right joins, which are linear in the input that they preserve.

What such an operator F returns for a row of its preserved input L depends on that row and on the
other input R. It does not depend on other rows of L. So weights pass through L as through a filter.
With

    C = L_pre ⋉ ΔR      the old rows of L that match a changed row of R,

the delta is, under any predicates,

    Δ = F(ΔL, R_post) ⊎ F(C, R_post) ⊎ -F(C, R_pre)

With equality predicates, only the rows of R with the changes' keys matter. Then the three terms are
one join with these rows, new and old: C is in it once for each side, ΔL on the new side only.

The terms stay apart in two cases. Without an equality, the one join would be a hash join with only
two key values, the sides. NOT IN, for which Spark has a null-aware join, is such a case. The other
case is a ΔL that is not small.

Source: Griffin, Kumar, "Algebraic change propagation for semijoin and outerjoin queries" (SIGMOD
Record 1998); Larson, Zhou, "Efficient maintenance of materialized outer-join views" (ICDE 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.predicates import equal_pairs
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Empty,
    Item,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    UnionAll,
)
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized
from dbt.adapters.ivm_spark.delta.bags import SIDE, before, both_sides, netted_before, weighted
from dbt.adapters.ivm_spark.delta.common_key import by_common_key
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.meeting import met_rows
from dbt.adapters.ivm_spark.delta.touched import Input, touched_keys, touched_rows

Rebuild = Callable[[Node, Node, tuple[exp.Expr, ...]], Node]

_KEPT_SIDE = "__ivm_kept_side"


def delta_semi_join(node: SemiJoin, derive: Derive, context: Context) -> Node | None:
    """Return changed rows that qualify, and rows that gain a first or lose their last partner."""

    def rebuild(left: Node, right: Node, predicates: tuple[exp.Expr, ...]) -> Node:
        return SemiJoin(left, right, predicates, node.anti)

    found = by_common_key(node, derive, context)
    if found is not None:
        return found
    return _linear(node.input, node.among, node.predicates, rebuild, derive, copies=False)


def delta_one_sided_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """Return the delta of a LEFT or RIGHT JOIN.

    It has the changed rows with their partners, and the rows whose partners change.
    """

    def rebuild(preserved: Node, other: Node, predicates: tuple[exp.Expr, ...]) -> Node:
        left, right = (preserved, other) if node.side == "LEFT" else (other, preserved)
        return OuterJoin(left, right, node.side, predicates)

    preserved, other = (node.left, node.right) if node.side == "LEFT" else (node.right, node.left)
    change = by_common_key(node, derive, context)
    if change is None:
        change = _linear(preserved, other, node.predicates, rebuild, derive)
    if change is None:
        return None
    return Project(change, passed((*node.columns, WEIGHT)))


def delta_full_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """Return the delta of a FULL JOIN without an equality.

    It is the delta of the LEFT JOIN, and that of the right rows without a partner.
    """
    left = derive(replace(node, side="LEFT"))
    lonely = derive(SemiJoin(node.right, node.left, node.predicates, anti=True))
    if left is None or lonely is None:
        return None
    padded = OuterJoin(Empty(node.left), lonely, "RIGHT", ())
    columns = passed((*node.columns, WEIGHT))
    return UnionAll((left, Project(padded, columns)))


def _linear(
    preserved: Node,
    other: Node,
    predicates: tuple[exp.Expr, ...],
    rebuild: Rebuild,
    derive: Derive,
    copies: bool = True,
) -> Node | None:
    """Return the delta of an operator that is linear in its input `preserved`.

    The operator is `rebuild(preserved, other, predicates)`.

    Args:
        preserved: the preserved input.
        other: the other input.
        predicates: of the join.
        rebuild: applies the operator to other inputs.
        derive: returns the delta of an input.
        copies: False if each distinct row of `other` is enough, once.
    """
    change, moved = derive(preserved), derive(other)
    items = passed(rebuild(preserved, other, predicates).columns)
    pairs = equal_pairs(predicates, preserved, other)
    if moved is not None and pairs and (change is None or is_delta_sized(change)):
        sides = _on_both_sides(
            preserved, change, met_rows(_old(preserved, change), moved, predicates)
        )
        partners = Input(other, moved, tuple(b for _, b in pairs))
        changed_too = Input(preserved, change, tuple(a for a, _ in pairs))
        among = touched_keys((partners, changed_too) if change is not None else (partners,))
        (states,) = touched_rows((partners,), among, copies)
        same = exp.EQ(this=column(_KEPT_SIDE), expression=column(SIDE))
        sign = exp.Mul(this=column(WEIGHT), expression=column(_KEPT_SIDE))
        matched = rebuild(sides, states, (*predicates, same))
        return Project(matched, (*items, Item(WEIGHT, sign)))
    terms: list[Node] = []
    if change is not None:
        changed = rebuild(change, other, predicates)
        terms.append(Project(changed, (*items, Item(WEIGHT, column(WEIGHT)))))
    if moved is not None:
        met = met_rows(_old(preserved, change), moved, predicates)
        now = rebuild(met, other, predicates)
        past = rebuild(met, netted_before(other, moved, copies), predicates)
        terms.append(Project(now, (*items, Item(WEIGHT, column(WEIGHT)))))
        terms.append(Project(past, (*items, Item(WEIGHT, exp.Neg(this=column(WEIGHT))))))
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else UnionAll(tuple(terms))


def _old(preserved: Node, change: Node | None) -> Node:
    return weighted(preserved, 1) if change is None else before(preserved, change)


def _on_both_sides(preserved: Node, change: Node | None, met: Node) -> Node:
    """Return the rows whose partners changed, once for each side, and the changed rows.

    The changed rows are on the new side only.
    """
    both = both_sides(met, _KEPT_SIDE)
    if change is None:
        return both
    now = Item(_KEPT_SIDE, exp.Literal.number(1))
    items = (*passed(preserved.columns), now, Item(WEIGHT, column(WEIGHT)))
    return UnionAll((both, Project(change, items)))
