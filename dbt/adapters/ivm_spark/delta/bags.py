"""A relation before its change, from the relation after it: no old version of a source is read."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.view.repeat import repeated
from dbt.adapters.ivm_spark.view.tree import (
    WEIGHT,
    Aggregate,
    Filter,
    Item,
    Node,
    Project,
    UnionAll,
    column,
)

_TIMES = "__ivm_times"


def before(post: Node, delta: Node) -> Node:
    """The relation before the change as weighted rows, not netted: post ⊎ -Δ."""
    return UnionAll((weighted(post, 1), negated(delta)))


def netted_before(post: Node, delta: Node, copies: bool = True) -> Node:
    """The relation before the change, equal rows netted, each as often as it was.

    copies: False where only the different rows matter. The columns must be comparable.
    """
    columns = tuple(Item(c, column(c)) for c in post.columns)
    counted = Item(_TIMES, exp.Sum(this=column(WEIGHT)))
    groups = Aggregate(before(post, delta), columns, (counted,))
    left = Filter(groups, exp.GT(this=column(_TIMES), expression=exp.Literal.number(0)))
    return repeated(left, _TIMES, post.columns) if copies else Project(left, columns)


def netted(delta: Node) -> Node:
    """A delta without rows that go and come back."""
    columns = tuple(Item(c, column(c)) for c in delta.columns if c != WEIGHT)
    groups = Aggregate(delta, columns, (Item(_TIMES, exp.Sum(this=column(WEIGHT))),))
    moved = Filter(groups, exp.NEQ(this=column(_TIMES), expression=exp.Literal.number(0)))
    return Project(moved, (*columns, Item(WEIGHT, column(_TIMES))))


def weighted(node: Node, weight: int) -> Node:
    """Every row of a relation with one weight."""
    number: exp.Expr = exp.Literal.number(1)
    if weight < 0:
        number = exp.Neg(this=number)
    return Project(node, (*(Item(c, column(c)) for c in node.columns), Item(WEIGHT, number)))


def negated(delta: Node) -> Node:
    """A delta taken back; the weight is the last column."""
    columns = tuple(Item(c, column(c)) for c in delta.columns if c != WEIGHT)
    return Project(delta, (*columns, Item(WEIGHT, exp.Neg(this=column(WEIGHT)))))


def without_weight(delta: Node) -> Node:
    """The rows of a delta, gained or lost."""
    return Project(delta, tuple(Item(c, column(c)) for c in delta.columns if c != WEIGHT))
