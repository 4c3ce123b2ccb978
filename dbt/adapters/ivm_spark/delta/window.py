"""The delta of window functions: the touched partitions, new and old.

If the functions look at few rows, only rows near the change are needed. If they look at no row that
comes later, only rows from the first changed one on are given (`near`).

A window may be over another window, GROUP BY or DISTINCT. If their keys have some in common, both
are one operator on the partitions of the common keys: its input is sliced once, below both.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, over, passed, used_columns
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    Distinct,
    Filter,
    Item,
    Node,
    Project,
    Sort,
    Window,
)
from dbt.adapters.ivm_spark.analysis.cardinality import rows_read
from dbt.adapters.ivm_spark.analysis.repeatability import check_repeatable
from dbt.adapters.ivm_spark.analysis.source_facts import rows_of
from dbt.adapters.ivm_spark.delta.bags import SIDE
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.moved import is_moved
from dbt.adapters.ivm_spark.delta.near import LATE, near_sides, reach_of
from dbt.adapters.ivm_spark.delta.range_frames import frames_of_late_rows
from dbt.adapters.ivm_spark.delta.sided import sided
from dbt.adapters.ivm_spark.delta.touched import Input, touched

APART_ROWS = 200_000
"""Rows of a source from which on comparing its rows takes longer than one more statement."""
Keys = tuple[exp.Expr, ...]


def delta_window(node: Window, derive: Derive, context: Context) -> Node | None:
    """Return the rows of the touched partitions with their windows: old rows out, new rows in.

    An aggregate that is computed together with its window must give the same row twice, like an
    aggregate with a delta of its own.
    """
    base, keys = _base(node.input, node.keys)
    given = Input(base, derive(base), keys)
    reach = reach_of(node) if base is node.input else None
    if reach is None or given.delta is None:
        return touched((given,), lambda inputs: _sided(node, base, inputs[0]))
    apart = rows_read(base, rows_of(context.sources)) >= APART_ROWS
    rows = near_sides(given, reach, apart)
    both: Node | None = frames_of_late_rows(node, rows, reach, context.sources)
    if both is None:
        both = sided(node, rows)
        if reach.keeps_rows_before:
            both = Filter(both, column(LATE))
    return Project(both, (*passed(node.columns), Item(WEIGHT, column(SIDE))))


def _sided(node: Node, base: Node, rows: Node) -> Node:
    """Return the operators from the window down to its base over other rows.

    Rows of different sides are not combined.
    """
    if node is base:
        return rows
    assert isinstance(node, (Filter, Sort, Distinct, Project, Aggregate, Window))
    return sided(node, _sided(node.input, base, rows))


def _base(input_: Node, keys: Keys) -> tuple[Node, Keys]:
    """Return the lowest relation below a window that can be sliced instead of its input, and keys.

    The keys are those of the window, over that relation's columns. Above it, rows of different keys
    are not combined.
    """
    found = input_, keys
    node: Node | None = input_
    while node is not None:
        node, keys, meets = _below(node, keys)
        if node is not None and meets:
            found = node, keys
    return found


def _below(node: Node, keys: Keys) -> tuple[Node | None, Keys, bool]:
    """Return a node's input, the keys over its columns, and whether the node combines rows.

    If there are no such keys, the input is None. It is also None if the clock has moved in the
    node, whose delta then has terms of its own.
    """
    if is_moved(node):
        return None, keys, False
    if isinstance(node, (Filter, Sort)):
        return node.input, keys, False
    if isinstance(node, Project):
        return node.input, _through(keys, node.items), False
    if isinstance(node, Distinct):
        return node.input, keys, True
    if isinstance(node, Window):
        kept = tuple(key for key in keys if key in node.keys)
        return (node.input if kept else None), kept, True
    if isinstance(node, Aggregate):
        grouped = {item.name for item in node.keys}
        kept = _through((key for key in keys if used_columns(key) <= grouped), node.keys)
        if kept:
            check_repeatable(node)
        return (node.input if kept else None), kept, True
    return None, keys, False


def _through(keys: Iterable[exp.Expr], items: tuple[Item, ...]) -> Keys:
    """Return keys over a relation's items as keys over the columns below them."""
    made_of = {item.name: item.expression for item in items}
    return tuple(over(key, made_of) for key in keys)
