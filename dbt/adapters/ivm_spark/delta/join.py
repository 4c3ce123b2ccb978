"""The delta of an inner join: one term for each input that changed.

Δ(R₁ ⋈ … ⋈ Rₙ) = Σᵢ post₁ … postᵢ₋₁ ⋈ Δᵢ ⋈ preᵢ₊₁ … preₙ  (Griffin, Libkin, "Incremental
maintenance of views with duplicates", SIGMOD 1995; for n inputs at once as in Oracle's fast
refresh of join views). A pre-state is never read from an old version, which may be gone or
forbidden by the retention: pre = post ⊎ -Δ.
"""

from __future__ import annotations

from dbt.adapters.ivm_spark.delta.bags import before
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.view.columns import passed, used_columns
from dbt.adapters.ivm_spark.view.tree import WEIGHT, Join, Node, Project, UnionAll


def delta_join(node: Join, derive: Derive, context: Context) -> Node | None:
    """The sum of the terms; inputs that did not change have no term and no pre-state."""
    deltas = [derive(child) for child in node.inputs]
    terms: list[Node] = []
    columns = (*node.columns, WEIGHT)
    uses = [used_columns(predicate) for predicate in node.predicates]
    for i, delta in enumerate(deltas):
        if delta is None:
            continue
        partners: list[Node] = []
        for j, child in enumerate(node.inputs):
            later = deltas[j] if j > i else None
            if j != i:
                partners.append(child if later is None else before(child, later))
        term = Join(tuple(_connected(delta, partners, uses)), node.predicates)
        terms.append(Project(term, passed(columns)))
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else UnionAll(tuple(terms))


def _connected(delta: Node, partners: list[Node], uses: list[set[str]]) -> list[Node]:
    """The partners in an order in which each meets a predicate with what stands before it, so
    that the small delta is joined first and no product of two big relations arises.

    uses: the columns that each predicate reads.
    """
    order = [delta]
    waiting = list(partners)
    seen = set(delta.columns)
    while waiting:
        place = next((i for i, n in enumerate(waiting) if _meets(n, seen, uses)), 0)
        order.append(waiting.pop(place))
        seen |= set(order[-1].columns)
    return order


def _meets(node: Node, seen: set[str], uses: list[set[str]]) -> bool:
    own = set(node.columns)
    return any(used & own and used & seen and used <= own | seen for used in uses)
