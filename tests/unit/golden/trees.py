"""A tree as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Generate,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    RuntimeFilter,
    Scan,
    SemiJoin,
)


def tree_text(node: Node) -> str:
    """A node a line, its inputs below it."""
    return "\n".join(_lines(node, 0))


def _lines(node: Node, depth: int) -> Iterator[str]:
    yield "  " * depth + f"{type(node).__name__} {_says(node)}".rstrip()
    for child in children(node):
        yield from _lines(child, depth + 1)


def _says(node: Node) -> str:
    match node:
        case Scan():
            return f"{node.relation.replace('`', '')} {node.at.value}"
        case Filter():
            return _text(node.predicate)
        case Project():
            return _items(node.items)
        case Aggregate():
            return f"by {_items(node.keys)}: {_items(node.aggregates)}"
        case Join() | SemiJoin() | OuterJoin():
            side = getattr(node, "side", "anti" if getattr(node, "anti", False) else "")
            return f"{side} {' and '.join(map(_text, node.predicates))}".strip()
        case RuntimeFilter():
            return f"{node.column} among {node.key}"
        case Generate():
            return _text(node.generator)
        case _:
            return ""


def _items(items: tuple[Item, ...]) -> str:
    return ", ".join(
        i.name if _is(i.expression, i.name) else f"{_text(i.expression)} as {i.name}" for i in items
    )


def _is(expression: exp.Expr, name: str) -> bool:
    return isinstance(expression, exp.Column) and expression.name == name


def _text(expression: exp.Expr) -> str:
    return to_sql(expression).replace("`", "")
