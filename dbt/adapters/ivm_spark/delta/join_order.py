"""The order in which a change is joined with its partners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.tree import Node


def connected(
    first: Node, partners: Iterable[Node], predicates: Sequence[exp.Expr]
) -> tuple[Node, ...]:
    """Return a join's inputs in an order in which a predicate connects each to earlier ones.

    So small inputs are joined first, and no product of two big relations arises.
    """
    uses = [used_columns(predicate) for predicate in predicates]
    order = [first]
    waiting = list(partners)
    seen = set(first.columns)
    while waiting:
        place = next((i for i, n in enumerate(waiting) if meets(n, seen, uses)), 0)
        order.append(waiting.pop(place))
        seen |= set(order[-1].columns)
    return tuple(order)


def meets(node: Node, seen: set[str], uses: Iterable[set[str]]) -> bool:
    """Return whether a predicate connects a relation to columns that were seen before.

    Args:
        node: the relation.
        seen: the columns that were seen.
        uses: the columns that each predicate reads.
    """
    own = set(node.columns)
    return any(used & own and used & seen and used <= own | seen for used in uses)
