"""The columns in a tree's expressions: one as an expression, those that are used, others put in
their place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, Item, Node


def column(name: str) -> exp.Column:
    """A reference to a column of the tree."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True))


def passed(columns: Iterable[str]) -> tuple[Item, ...]:
    """The columns as they are, for a Project or as the keys of an Aggregate."""
    return tuple(Item(c, column(c)) for c in columns)


def as_they_are(items: Iterable[Item]) -> dict[str, str]:
    """The columns that are passed on as they are: by their new names, the input's own."""
    return {i.name: i.expression.name for i in items if isinstance(i.expression, exp.Column)}


def by_place(names: Collection[str], branch: Node) -> list[tuple[str, str]]:
    """The columns of a union under these names, each with the branch's own: they go by their place,
    but a weight by its name."""
    own = [c for c in branch.columns if c != WEIGHT]
    pairs = list(zip((n for n in names if n != WEIGHT), own, strict=True))
    return [*pairs, (WEIGHT, WEIGHT)] if WEIGHT in names else pairs


def over(expression: exp.Expr, columns: Mapping[str, exp.Expr]) -> exp.Expr:
    """The expression with what `columns` gives for a column in the place of each; a column that
    belongs to a table is none of the tree's. `render` writes the parentheses that it then needs."""

    def swapped(node: exp.Expr) -> exp.Expr:
        known = isinstance(node, exp.Column) and not node.table and node.name in columns
        return columns[node.name].copy() if known else node

    return expression.transform(swapped)


def used_columns(*expressions: exp.Expr) -> set[str]:
    """Names of the columns that the expressions use."""
    return {c.name for expression in expressions for c in expression.find_all(exp.Column)}


def free_columns(node: Node) -> set[str]:
    """Columns that expressions of a tree use and no operator of it has: those of the block around
    a correlated subquery."""
    used: set[str] = set()
    known: set[str] = set()
    for below in walk(node):
        known.update(below.columns)
        for expression in expressions_of(below):
            used.update(c.name for c in expression.find_all(exp.Column) if not is_variable(c))
    return used - known


def expressions_of(node: Node) -> Iterator[exp.Expr]:
    """The expressions of a node itself."""
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
    """True for a parameter of a lambda function around it."""
    if found.table:
        return False
    around = found.find_ancestor(exp.Lambda)
    while around is not None:
        if any(parameter.name == found.name for parameter in around.expressions):
            return True
        around = around.find_ancestor(exp.Lambda)
    return False
