"""The columns in a tree's expressions: how to make, find and replace them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.traversal import bottom_up, walk
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, Generate, Item, Node, Project


def column(name: str) -> exp.Column:
    """Return a reference to a column of the tree."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True))


def passed(columns: Iterable[str]) -> tuple[Item, ...]:
    """Return items that pass columns on unchanged, for a Project or as the keys of an Aggregate."""
    return tuple(Item(c, column(c)) for c in columns)


def as_they_are(items: Iterable[Item]) -> dict[str, str]:
    """Return the items that only pass a column on: the input's column by the item's name."""
    return {i.name: i.expression.name for i in items if isinstance(i.expression, exp.Column)}


def by_place(names: Collection[str], branch: Node) -> list[tuple[str, str]]:
    """Return a union's column names, each with the branch's column.

    Columns match by position, but the weight matches by name.
    """
    own = [c for c in branch.columns if c != WEIGHT]
    pairs = list(zip((n for n in names if n != WEIGHT), own, strict=True))
    return [*pairs, (WEIGHT, WEIGHT)] if WEIGHT in names else pairs


def over(expression: exp.Expr, columns: Mapping[str, exp.Expr]) -> exp.Expr:
    """Return the expression with its columns replaced by the expressions in `columns`.

    A column that is qualified by a table is not a column of the tree and stays. `render` adds the
    parentheses that the result needs.
    """

    def swapped(node: exp.Expr) -> exp.Expr:
        known = isinstance(node, exp.Column) and not node.table and node.name in columns
        return columns[node.name].copy() if known else node

    if isinstance(expression, exp.Column):  # most are, and a copy for each would cost much
        found = swapped(expression)
        return found.copy() if found is expression else found
    return expression.transform(swapped)


def used_columns(*expressions: exp.Expr) -> set[str]:
    """Return the names of the columns that the expressions use."""
    return {column.name for expression in expressions for column in columns_in(expression)}


def columns_in(expression: exp.Expr) -> Iterable[exp.Column]:
    """Return the columns in an expression. Most expressions are one, with no other in it."""
    if isinstance(expression, exp.Column):
        return (expression,)
    return expression.find_all(exp.Column)


def free_columns(node: Node) -> set[str]:
    """Return the columns that a tree's expressions use and that no operator of the tree has.

    They are columns of the outer block of a correlated subquery.
    """
    used: set[str] = set()
    known: set[str] = set()
    for below in walk(node):
        known.update(below.columns)
        for expression in expressions_of(below):
            used.update(c.name for c in expression.find_all(exp.Column) if not is_variable(c))
    return used - known


def expressions_of(node: Node) -> Iterator[exp.Expr]:
    """Yield the expressions of one node, without those of its inputs."""
    for place in fields(node):
        yield from _expressions_in(getattr(node, place.name))


def tree_expressions(root: Node) -> Iterator[exp.Expr]:
    """Yield every expression of every operator of a tree."""
    for node in walk(root):
        yield from expressions_of(node)


def _expressions_in(value: object) -> Iterator[exp.Expr]:
    if isinstance(value, tuple):
        for part in value:
            yield from _expressions_in(part)
    elif isinstance(value, Item):
        yield value.expression
    elif isinstance(value, exp.Expr):
        yield value


def with_expressions(root: Node, changed: Callable[[exp.Expr], exp.Expr]) -> Node:
    """Return the tree with each expression replaced by what `changed` returns for it.

    A node without a change stays the same object, and a node with several parents stays one node.
    """

    def mapped(node: Node) -> Node:
        values = {place.name: getattr(node, place.name) for place in fields(node)}
        news = {name: _mapped(value, changed) for name, value in values.items()}
        moved = {name: new for name, new in news.items() if new is not values[name]}
        return replace(node, **moved) if moved else node

    return bottom_up(root, mapped)


def _mapped(value: Any, changed: Callable[[exp.Expr], exp.Expr]) -> Any:
    if isinstance(value, exp.Expr):
        return changed(value)
    if isinstance(value, Item):
        new = changed(value.expression)
        return value if new is value.expression else Item(value.name, new)
    if isinstance(value, tuple):
        news = tuple(_mapped(part, changed) for part in value)
        return value if all(a is b for a, b in zip(news, value, strict=True)) else news
    return value


def is_variable(found: exp.Column) -> bool:
    """Return whether a column is a parameter of an enclosing lambda function."""
    if found.table:
        return False
    around = found.find_ancestor(exp.Lambda)
    while around is not None:
        if any(parameter.name == found.name for parameter in around.expressions):
            return True
        around = around.find_ancestor(exp.Lambda)
    return False


def repeated(counted: Node, count: str, columns: tuple[str, ...]) -> Node:
    """Return each row's given columns as often as its column `count` says; counts are positive."""
    copies = exp.Anonymous(
        this="array_repeat",
        expressions=[exp.Literal.number(0), exp.cast(column(count), "int")],
    )
    rows = Generate(counted, exp.Explode(this=copies), ("__ivm_copy",))
    return Project(rows, passed(columns))
