"""The delta of semi, anti, left and right joins, which are linear in the input that they preserve.

What such an operator makes of a row of its preserved input L depends on that row and on the other
input R, not on other rows of L. So weights ride along on L as through a filter, and with

    C = L_pre ⋉ ΔR      the old rows of L that meet a changed row of R,
    Δ = F(ΔL, R_post) ⊎ F(C, R_post) ⊎ -F(C, R_pre)

under any predicates. Where there are equalities, only the rows of R with the keys of ΔR are looked
at for C. Griffin, Kumar, "Algebraic change propagation for semijoin and outerjoin queries" (SIGMOD
Record 1998); Larson, Zhou, "Efficient maintenance of materialized outer-join views" (ICDE 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.bags import before, negated, netted_before, without_weight
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.equality import equal_pairs
from dbt.adapters.ivm_spark.delta.touched import Input, slice_of
from dbt.adapters.ivm_spark.view.tree import (
    WEIGHT,
    Filter,
    Item,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    UnionAll,
    column,
)

Rebuild = Callable[[Node, Node], Node]


def delta_semi_join(node: SemiJoin, derive: Derive, context: Context) -> Node | None:
    """Rows that gain a first partner or lose the last, and changed rows that have one or none."""

    def rebuild(left: Node, right: Node) -> Node:
        return replace(node, input=left, among=right)

    return _linear(node.input, node.among, node.predicates, rebuild, derive, copies=False)


def delta_one_sided_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """LEFT and RIGHT JOIN: changed rows with their partners, and the rows whose partners change."""
    if node.side == "LEFT":

        def rebuild(left: Node, right: Node) -> Node:
            return replace(node, left=left, right=right)

        return _linear(node.left, node.right, node.predicates, rebuild, derive)

    def mirrored(right: Node, left: Node) -> Node:
        return replace(node, left=left, right=right)

    return _linear(node.right, node.left, node.predicates, mirrored, derive)


def delta_full_join(node: OuterJoin, derive: Derive, context: Context) -> Node | None:
    """FULL JOIN without an equality: the LEFT JOIN, and the right rows without a partner."""
    left = derive(replace(node, side="LEFT"))
    lonely = derive(SemiJoin(node.right, node.left, node.predicates, anti=True))
    if left is None or lonely is None:
        return None
    none = Filter(node.left, exp.false())
    padded = OuterJoin(none, lonely, "RIGHT", ())
    columns = tuple(Item(c, column(c)) for c in (*node.columns, WEIGHT))
    return UnionAll((Project(left, columns), Project(padded, columns)))


def _linear(
    kept: Node,
    other: Node,
    predicates: tuple[exp.Expr, ...],
    rebuild: Rebuild,
    derive: Derive,
    copies: bool = True,
) -> Node | None:
    """The delta of `rebuild(kept, other)`, an operator linear in `kept`.

    copies: False where only the different rows of `other` matter.
    """
    change, moved = derive(kept), derive(other)
    columns = (*rebuild(kept, other).columns, WEIGHT)
    items = tuple(Item(c, column(c)) for c in columns)
    terms: list[Node] = []
    if change is not None:
        terms.append(Project(rebuild(change, other), items))
    if moved is not None:
        met = _met(kept, change, moved, predicates)
        keys = tuple(b for _, b in equal_pairs(predicates, kept, other))
        now = slice_of(Input(other, moved, keys))
        old = netted_before(now, moved, copies)
        terms.append(Project(rebuild(met, now), items))
        terms.append(negated(Project(rebuild(met, old), items)))
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else UnionAll(tuple(terms))


def _met(kept: Node, change: Node | None, moved: Node, predicates: tuple[exp.Expr, ...]) -> Node:
    """C: the old rows that meet a changed row of the other input, weighted."""
    one = Item(WEIGHT, exp.Literal.number(1))
    old: Node = Project(kept, (*(Item(c, column(c)) for c in kept.columns), one))
    if change is not None:
        old = before(kept, change)
    return SemiJoin(old, without_weight(moved), predicates)
