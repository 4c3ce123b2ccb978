"""Carries constants of the clock from where they are named to where they are used.

    WITH p AS (SELECT current_date() - 7 AS since) SELECT d.* FROM days d, p WHERE d.day >= p.since

becomes a filter by `day >= current_date() - 7`, which follows the clock (`rewrite.clock`). The
column `since` is pruned if nothing else uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import reads_clock
from dbt.adapters.ivm_spark.algebra.columns import over, used_columns
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up, children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Limit,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    Sort,
    Window,
)

Constants = Mapping[str, exp.Expr]
"""Columns that have one value in all rows, each with that value's expression."""


def with_parameters_in_place(root: Node) -> Node:
    """Return the same relation with the clock's constants in predicates, values and aggregates."""
    known: dict[int, Constants] = {}

    def changed(node: Node) -> Node:
        given = {n: e for child in children(node) for n, e in known.get(id(child), {}).items()}
        found = _replaced(node, given) if given else node
        known[id(found)] = _constants(found, known)
        return found

    return bottom_up(root, changed)


def _replaced(node: Node, given: Constants) -> Node:
    match node:
        case Filter():
            return Filter(node.input, over(node.predicate, given))
        case Join() | SemiJoin() | OuterJoin():
            return replace(node, predicates=tuple(over(p, given) for p in node.predicates))
        case Project():
            return Project(node.input, _items(node.items, given))
        case Aggregate():
            return replace(node, aggregates=_items(node.aggregates, given))
        case _:
            return node


def _items(items: tuple[Item, ...], given: Constants) -> tuple[Item, ...]:
    return tuple(Item(i.name, over(i.expression, given)) for i in items)


def _constants(node: Node, known: Mapping[int, Constants]) -> Constants:
    """Return the constants among a node's columns.

    Those of a side that an outer join pads are NULL in some rows, and so are none.
    """
    match node:
        case Project():
            return {i.name: i.expression for i in node.items if _is_constant(i.expression)}
        case Filter() | Sort() | Limit() | Distinct() | SemiJoin() | Window() | Generate():
            return known.get(id(node.input), {})
        case Join():
            return {n: e for i in node.inputs for n, e in known.get(id(i), {}).items()}
        case OuterJoin() if node.side == "LEFT":
            return known.get(id(node.left), {})
        case OuterJoin() if node.side == "RIGHT":
            return known.get(id(node.right), {})
        case _:
            return {}


def _is_constant(expression: exp.Expr) -> bool:
    return reads_clock(expression) and not used_columns(expression)
