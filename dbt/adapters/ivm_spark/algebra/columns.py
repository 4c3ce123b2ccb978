"""The columns in a tree's expressions: how to make, find and replace them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.traversal import walk
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

    return expression.transform(swapped)


def used_columns(*expressions: exp.Expr) -> set[str]:
    """Return the names of the columns that the expressions use."""
    return {c.name for expression in expressions for c in expression.find_all(exp.Column)}


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


def _expressions_in(value: object) -> Iterator[exp.Expr]:
    if isinstance(value, tuple):
        for part in value:
            yield from _expressions_in(part)
    elif isinstance(value, Item):
        yield value.expression
    elif isinstance(value, exp.Expr):
        yield value


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
