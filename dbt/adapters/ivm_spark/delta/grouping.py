"""The delta of GROUP BY and DISTINCT below another operator: old rows out, new rows in."""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Distinct, Item, Node, UnionAll, Window
from dbt.adapters.ivm_spark.analysis.repeatability import check_repeatable
from dbt.adapters.ivm_spark.delta.bags import SIDE, netted, netted_before, weighted
from dbt.adapters.ivm_spark.delta.common_key import by_group_keys
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.sided import sided
from dbt.adapters.ivm_spark.delta.touched import Input, touched

_ONCE = frozenset({"max", "min"})
"""Aggregates that ignore copies of a row."""


def delta_aggregate(node: Aggregate, derive: Derive, context: Context) -> Node | None:
    """Return the touched groups, old and new.

    Without group keys, the delta is empty if both are equal, so that relations joined with the one
    row do not change. `check_repeatable` says which aggregates are not maintained.
    """
    check_repeatable(node)
    found = by_group_keys(node, derive, context)
    if found is not None:
        return found
    if isinstance(node.input, Window) and _groups_partitions(node, node.input):
        return _with_window(node, node.input, derive)
    below = derive(node.input)
    if below is None:
        return None
    copies = not all(function_name(i.expression) in _ONCE for i in node.aggregates)
    if node.whole:
        old = replace(node, input=netted_before(node.input, below, copies))
        return netted(UnionAll((weighted(node, 1), weighted(old, -1))))
    given = Input(node.input, below, tuple(k.expression for k in node.keys))
    keys = (*node.keys, Item(SIDE, column(SIDE)))
    return touched((given,), lambda i: replace(node, input=i[0], keys=keys), copies)


def _groups_partitions(node: Aggregate, window: Window) -> bool:
    """Return whether the groups are the partitions of the window below, as in `in_order`."""
    keys = [key.expression for key in node.keys]
    return len(keys) == len(window.keys) and all(key in window.keys for key in keys)


def _with_window(node: Aggregate, window: Window, derive: Derive) -> Node | None:
    """Return the touched groups over windows of the same keys: their input is sliced once."""
    given = Input(window.input, derive(window.input), window.keys)
    keys = (*node.keys, Item(SIDE, column(SIDE)))
    return touched((given,), lambda i: replace(node, input=sided(window, i[0]), keys=keys))


def delta_distinct(node: Distinct, derive: Derive, context: Context) -> Node | None:
    """Return the rows that appear and the rows that vanish."""
    given = Input(node.input, derive(node.input), tuple(column(c) for c in node.columns))
    return touched((given,), lambda inputs: Distinct(inputs[0]), copies=False)
