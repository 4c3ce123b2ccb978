"""The delta of window functions: the touched partitions, as they were and as they are; of windows
that look at few rows only what is near the change, see `near`.

A window over a window, or over GROUP BY or DISTINCT, by keys that both have in common is one
operator on the partitions of the common keys: its input is sliced once, below both.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import over, used_columns
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Item,
    Node,
    Project,
    Sort,
    Window,
)
from dbt.adapters.ivm_spark.analysis.repeatability import check_repeatable
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.near import near_rows, reach_of
from dbt.adapters.ivm_spark.delta.sided import sided
from dbt.adapters.ivm_spark.delta.touched import Input, touched

Keys = tuple[exp.Expr, ...]


def delta_window(node: Window, derive: Derive, context: Context) -> Node | None:
    """The rows of the touched partitions with their windows, old ones out, new ones in.

    An aggregate that is computed along with its window must give the same row twice, as one with
    a delta of its own.
    """
    base, keys = _base(node.input, node.keys)
    given = Input(base, derive(base), keys)
    reach = reach_of(node) if base is node.input else None
    rows = None if reach is None or given.delta is None else near_rows(given, reach)
    return touched((given,), lambda inputs: _sided(node, base, inputs[0]), rows=rows)


def _sided(node: Node, base: Node, rows: Node) -> Node:
    """The operators from the window down to its base over other rows, of which those of different
    sides do not meet."""
    if node is base:
        return rows
    assert isinstance(node, (Filter, Sort, Distinct, Project, Aggregate, Window))
    return sided(node, _sided(node.input, base, rows))


def _base(input_: Node, keys: Keys) -> tuple[Node, Keys]:
    """The lowest relation below a window by `keys` that can be sliced in its place, and the keys
    over its columns: from there on up, rows of different keys do not meet."""
    found = input_, keys
    node: Node | None = input_
    while node is not None:
        node, keys, meets = _below(node, keys)
        if node is not None and meets:
            found = node, keys
    return found


def _below(node: Node, keys: Keys) -> tuple[Node | None, Keys, bool]:
    """The input of a node and the keys over its columns, no input where there are no such keys;
    and whether rows meet in the node."""
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
    """Keys over a relation's items, over the columns that these are made of."""
    made_of = {item.name: item.expression for item in items}
    return tuple(over(key, made_of) for key in keys)
