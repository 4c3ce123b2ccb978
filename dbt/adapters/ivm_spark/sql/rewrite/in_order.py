"""Computes aggregates that depend on the order of rows over rows in a fixed order.

    SELECT k, collect_list(x) AS xs FROM t GROUP BY k

becomes

    SELECT k, min(w) AS xs FROM (
      SELECT k, collect_list(x) OVER (PARTITION BY k ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING
        AND UNBOUNDED FOLLOWING) AS w FROM t) GROUP BY k

SQL leaves the order open, in which Spark meets the rows of a group. So collect_list, first, or a
sum of floats may differ from one run to the next. Below another operator, a refresh could then not
take back what an earlier one has stored. All such calls of one GROUP BY see one order, by all
columns that they use, and rows that are equal in these are interchangeable. The result is one that
the query may have, as for windows (`sql.rewrite.window`).

Source: Spark's `UnboundedWindowFunctionFrame`, which evaluates a function over a partition's rows
one by one in their order.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, used_columns
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.frames import ROUNDED, all_rows
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Item, Node, Window

_PREFIX = "__ivm_whole_"
_LISTS = frozenset("array_agg collect_list collect_set listagg string_agg".split())
_PICKS = frozenset("any_value first first_value last last_value max_by min_by".split())
_SETS = frozenset("array_agg collect_list collect_set".split())
"""Functions of which DISTINCT makes collect_set."""
_SKIP_NULLS = _LISTS | ROUNDED
"""Functions that ignore NULL, so that FILTER is a CASE inside of them."""


def can_be_in_order(node: Aggregate, call: exp.Expr) -> bool:
    """Return whether an aggregate call can be computed over rows in a fixed order.

    Windows have no DISTINCT, no FILTER and no WITHIN GROUP, and need a key to partition by. A list
    of DISTINCT values is a set.
    """
    if not node.keys or call.find(exp.WithinGroup) is not None:
        return False
    name = function_name(call.this if isinstance(call, exp.Filter) else call)
    if call.find(exp.Distinct) is not None and name not in _SETS:
        return False
    if isinstance(call, exp.Filter):
        return name in _SKIP_NULLS and isinstance(call.this, exp.Anonymous)
    return name in _LISTS | _PICKS | ROUNDED


def with_aggregates_in_order(root: Node, names: Collection[str]) -> Node:
    """Return the same relation with the aggregates of these names over rows in a fixed order."""
    if not names:
        return root
    return bottom_up(root, lambda node: _in_order(node, names))


def _in_order(node: Node, names: Collection[str]) -> Node:
    if not isinstance(node, Aggregate) or not any(i.name in names for i in node.aggregates):
        return node
    calls = {i.name: _plain(i.expression) for i in node.aggregates if i.name in names}
    keys = [key.expression for key in node.keys]
    known = {key.name for key in keys if isinstance(key, exp.Column)}
    used = [c for c in node.input.columns if c in used_columns(*calls.values()) - known]
    order = [exp.Ordered(this=column(c), nulls_first=True) for c in used]
    windows = tuple(
        Item(
            _PREFIX + name,
            exp.Window(
                this=call,
                partition_by=[key.copy() for key in keys],
                order=exp.Order(expressions=[o.copy() for o in order]) if order else None,
                spec=all_rows(),
                over="OVER",
            ),
        )
        for name, call in calls.items()
    )
    items = tuple(
        Item(i.name, exp.Min(this=column(_PREFIX + i.name))) if i.name in calls else i
        for i in node.aggregates
    )
    return Aggregate(Window(node.input, windows), node.keys, items)


def _plain(call: exp.Expr) -> exp.Expr:
    """Return a call without DISTINCT, and with its FILTER as a CASE around its first argument.

    All functions that can have a FILTER ignore rows with NULL there (`_SKIP_NULLS`).
    """
    if isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
        return call.copy()
    condition = call.expression.this if isinstance(call, exp.Filter) else None
    bare: exp.Expr = (call.this if isinstance(call, exp.Filter) else call).copy()
    value, *others = bare.expressions
    if isinstance(value, exp.Distinct):
        (value,) = value.expressions
        bare = exp.Anonymous(this="collect_set", expressions=[value])
    if condition is not None:
        hit = exp.If(this=condition.copy(), true=value.copy())
        bare.set("expressions", [exp.Case(ifs=[hit]), *others])
    return bare
