"""Expressions of a tree as a person writes them: with the sources' names and few quotes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import over
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import children
from dbt.adapters.ivm_spark.algebra.tree import Item, Node, Project, Scan, UnionAll

_PLAIN = re.compile(r"[A-Za-z_]\w*")

Names = Mapping[str, exp.Expr]


def names_of(root: Node) -> dict[str, exp.Expr]:
    """Return the name under which a person knows each column of a tree.

    A source's column has the alias of its table, even if it was renamed on its way up. Any other
    column has its own name.
    """
    found: dict[str, exp.Expr] = {}
    _learn(root, found)
    return found


def is_renaming(node: Node) -> bool:
    """Return whether a node is a Project that computes nothing."""
    return isinstance(node, Project) and all(
        isinstance(item.expression, exp.Column) for item in node.items
    )


def text_of(expression: exp.Expr, names: Names) -> str:
    """Return an expression as SQL for people to read, not for Spark to run."""
    return to_sql(over(expression, names).transform(_bare))


def item_text(item: Item, names: Names) -> str:
    """Return an output's expression, with its name unless the expression is a column."""
    text, own = text_of(item.expression, names), text_of(exp.column(item.name), names)
    return text if isinstance(item.expression, exp.Column) else f"{text} as {own}"


def name_text(quoted: str) -> str:
    """Return a relation's quoted name without the quotes that it does not need."""
    table = exp.to_table(quoted, dialect="spark")
    return to_sql(table.transform(_bare))


def _learn(node: Node, found: dict[str, exp.Expr]) -> None:
    for child in children(node):
        _learn(child, found)
    if isinstance(node, Scan):
        alias = exp.to_identifier(node.alias)
        for name, source in node.fields:
            found[name] = exp.Column(this=exp.to_identifier(source, quoted=True), table=alias)
    elif isinstance(node, Project):
        for item in node.items:
            if isinstance(item.expression, exp.Column) and not item.expression.table:
                below = item.expression.name
                found.setdefault(item.name, found.get(below, exp.column(below)))
    elif isinstance(node, UnionAll):
        # A column of several sources has the name that the first gives it, and no table.
        for name in node.columns:
            known = found.get(name)
            if isinstance(known, exp.Column):
                found[name] = exp.column(known.this.copy())


def _bare(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Identifier) and _PLAIN.fullmatch(node.this):
        return exp.Identifier(this=node.this, quoted=False)
    counts = isinstance(node, exp.Anonymous) and node.name == "count"
    if counts and node.expressions == [exp.Literal.number(1)]:
        return exp.Anonymous(this="count", expressions=[exp.Star()])
    return node
