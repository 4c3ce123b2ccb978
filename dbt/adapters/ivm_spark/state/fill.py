"""The query that fills a state from its sources."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Item, Node, Project
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.state.accumulators import COUNT, Accumulator, Kind
from dbt.adapters.ivm_spark.state.layout import WHOLE, Layout, Style


def fill(layout: Layout) -> Node:
    """Return a tree over the sources with exactly the state's columns.

    It does not count rows that are stored row by row. Deduplicating them takes as long as
    everything else in a rebuild.
    """
    if layout.style is Style.ROWS:
        once = Item(COUNT, exp.cast(exp.Literal.number(1), "bigint"))
        return Project(layout.input, (*layout.keys, once))
    counted = Item(COUNT, exp.Count(this=exp.Literal.number(1)))
    accumulated = tuple(Item(a.name, _whole_value(a)) for a in layout.accumulators)
    groups = Aggregate(layout.input, layout.keys, (*accumulated, counted))
    return Project(groups, tuple(map(state_column, layout.columns)))


def state_column(name: str) -> Item:
    """Return a column of the state, over its groups.

    The groups have all columns, except the key of the single row of an aggregate without keys.
    """
    if name == WHOLE:
        return Item(WHOLE, exp.Literal.number(0))
    return Item(name, column(name))


def _whole_value(accumulator: Accumulator) -> exp.Expr:
    argument = accumulator.argument.copy()
    if accumulator.kind is Kind.RECOMPUTED:
        return argument
    if accumulator.kind is Kind.COUNT:
        return exp.Count(this=argument)
    if accumulator.kind is Kind.MIN:
        return exp.Min(this=argument)
    if accumulator.kind is Kind.MAX:
        return exp.Max(this=argument)
    if accumulator.kind is Kind.XOR:
        return exp.Anonymous(this="bit_xor", expressions=[argument])
    return cast_as(exp.Sum(this=argument), accumulator.type_name)
