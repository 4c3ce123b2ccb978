"""The delta of semi, anti, left and right joins, which are linear in the input that they preserve.

What such an operator makes of a row of its preserved input L depends on that row and on the other
input R, not on other rows of L. So weights ride along on L as through a filter, and with

    C = L_pre ⋉ ΔR      the old rows of L that meet a changed row of R,
    Δ = F(ΔL, R_post) ⊎ F(C, R_post) ⊎ -F(C, R_pre)

under any predicates. Where there are equalities, only the rows of R with the keys of ΔR matter to
C, and the last two terms are one join: of C, once for each side, with these rows as they are and as
they were. Without an equality that would be a hash join of two keys, so there they stay apart, and
Spark's null-aware join for NOT IN keeps its form. Griffin,
Kumar, "Algebraic change propagation for semijoin and outerjoin queries" (SIGMOD Record 1998);
Larson, Zhou, "Efficient maintenance of materialized outer-join views" (ICDE 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.bags import (
    SIDE,
    before,
    both_sides,
    netted_before,
    now_and_before,
    weighted,
)
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.equality import equal_pairs
from dbt.adapters.ivm_spark.delta.meeting import met_rows
from dbt.adapters.ivm_spark.delta.touched import Input, slice_of
from dbt.adapters.ivm_spark.view.columns import column, passed
from dbt.adapters.ivm_spark.view.empty import empty
from dbt.adapters.ivm_spark.view.tree import (
    WEIGHT,
    Item,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    UnionAll,
)

Rebuild = Callable[[Node, Node, tuple[exp.Expr, ...]], Node]

_KEPT_SIDE = "__ivm_kept_side"


def delta_semi_join(node: SemiJoin, derive: Derive, context: Context) -> Node | None:
    """Rows that gain a first partner or lose the last, and changed rows that have one or none."""

    def rebuild(left: Node, right: Node, predicates: tuple[exp.Expr, ...]) -> Node:
        return SemiJoin(left, right, predicates, node.anti)

    return _linear(node.input, node.among, node.predicates, rebuild, derive, copies=False)


def delta_one_sided_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """LEFT and RIGHT JOIN: changed rows with their partners, and the rows whose partners change."""

    def rebuild(kept: Node, other: Node, predicates: tuple[exp.Expr, ...]) -> Node:
        left, right = (kept, other) if node.side == "LEFT" else (other, kept)
        return OuterJoin(left, right, node.side, predicates)

    kept, other = (node.left, node.right) if node.side == "LEFT" else (node.right, node.left)
    change = _linear(kept, other, node.predicates, rebuild, derive)
    if change is None:
        return None
    return Project(change, passed((*node.columns, WEIGHT)))


def delta_full_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """FULL JOIN without an equality: the LEFT JOIN, and the right rows without a partner."""
    left = derive(replace(node, side="LEFT"))
    lonely = derive(SemiJoin(node.right, node.left, node.predicates, anti=True))
    if left is None or lonely is None:
        return None
    padded = OuterJoin(empty(node.left), lonely, "RIGHT", ())
    columns = passed((*node.columns, WEIGHT))
    return UnionAll((left, Project(padded, columns)))


def _linear(
    kept: Node,
    other: Node,
    predicates: tuple[exp.Expr, ...],
    rebuild: Rebuild,
    derive: Derive,
    copies: bool = True,
) -> Node | None:
    """The delta of `rebuild(kept, other, predicates)`, an operator linear in `kept`.

    copies: False where only the different rows of `other` matter.
    """
    change, moved = derive(kept), derive(other)
    items = passed(rebuild(kept, other, predicates).columns)
    terms: list[Node] = []
    if change is not None:
        changed = rebuild(change, other, predicates)
        terms.append(Project(changed, (*items, Item(WEIGHT, column(WEIGHT)))))
    if moved is not None:
        old = weighted(kept, 1) if change is None else before(kept, change)
        met = met_rows(old, moved, predicates)
        keys = tuple(b for _, b in equal_pairs(predicates, kept, other))
        if keys:
            met = both_sides(met, _KEPT_SIDE)
            states = now_and_before(slice_of(Input(other, moved, keys)), moved, copies)
            same = exp.EQ(this=column(_KEPT_SIDE), expression=column(SIDE))
            sign: exp.Expr = exp.Mul(this=column(WEIGHT), expression=column(_KEPT_SIDE))
            matched = rebuild(met, states, (*predicates, same))
            terms.append(Project(matched, (*items, Item(WEIGHT, sign))))
        else:
            now = rebuild(met, other, predicates)
            past = rebuild(met, netted_before(other, moved, copies), predicates)
            sign = exp.Neg(this=column(WEIGHT))
            terms.append(Project(now, (*items, Item(WEIGHT, column(WEIGHT)))))
            terms.append(Project(past, (*items, Item(WEIGHT, sign))))
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else UnionAll(tuple(terms))
