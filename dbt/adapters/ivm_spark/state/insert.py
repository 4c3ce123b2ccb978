"""One INSERT of grouped changes adds a delta to a state, without a look at the stored rows.

A state that is only appended to takes each change like this. A state that stores the view row by
row does so if the view only gains rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.materialized import Materialized
from dbt.adapters.ivm_spark.algebra.tree import (
    Empty,
    Filter,
    Item,
    Node,
    Project,
    Scan,
    UnionAll,
)
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.state.accumulators import COUNT, checked, or_zero
from dbt.adapters.ivm_spark.state.change import grouped_change
from dbt.adapters.ivm_spark.state.fill import state_column
from dbt.adapters.ivm_spark.state.layout import STATE, Layout, Style
from dbt.adapters.ivm_spark.state.summed import summed
from dbt.adapters.ivm_spark.state.target import Target


@dataclass(frozen=True)
class Insert:
    """An INSERT INTO the state, as trees.

    Attributes:
        source: a tree with the columns of the state.
        columns: their names, in the source's order.
        overwrite: the rows replace all rows of the state.
        materialized: the relations to compute before the statement, in this order, besides those of
            the delta.
    """

    source: Node
    columns: tuple[str, ...]
    overwrite: bool = False
    materialized: tuple[Materialized, ...] = ()


def nothing(layout: Layout, state: str) -> Insert:
    """Return the INSERT of no rows into a state (quoted name)."""
    stored = Scan(state, STATE, tuple((name, name) for name in layout.columns))
    return Insert(Empty(stored), layout.columns)


def insert(layout: Layout, delta: Node, target: Target, insert_only: bool) -> Insert:
    """Return the INSERT of a delta of `layout.input`.

    A group that the change leaves as it is has no row in it. With `target.compact`, the INSERT adds
    up the state's rows and the change, one row a key, and overwrites the state.

    Args:
        layout: of the state.
        delta: of `layout.input`.
        target: the state to write into.
        insert_only: the sources only gained rows.
    """
    change = grouped_change(layout, delta, insert_only and is_monotone(layout.input))
    keys = tuple(key.name for key in layout.keys)
    names = (*keys, *(a.name for a in layout.accumulators), COUNT)
    rows: Node = Project(Filter(change, _some(layout)), _typed(layout))
    if target.compact:
        stored = Scan(target.state, STATE, tuple((name, name) for name in names))
        rows = summed(UnionAll((stored, rows)), keys, layout.accumulators)
    rows = Project(rows, tuple(map(state_column, layout.columns)))
    return Insert(rows, layout.columns, target.compact)


def _some(layout: Layout) -> exp.Expr:
    """Return the condition that anything of a group changes."""
    names = (*(a.name for a in layout.accumulators), COUNT)
    zero = exp.Literal.number(0)
    return exp.or_(*(exp.NEQ(this=or_zero(column(n)), expression=zero.copy()) for n in names))


def _typed(layout: Layout) -> tuple[Item, ...]:
    """Return the change's columns with the state's types.

    A view does not add up rows that are stored row by row. So the INSERT must take none back: a
    negative count raises.
    """
    count = checked(column(COUNT)) if layout.style is Style.ROWS else column(COUNT)
    return (
        *passed(key.name for key in layout.keys),
        *(Item(a.name, cast_as(column(a.name), a.type_name)) for a in layout.accumulators),
        Item(COUNT, count),
    )
