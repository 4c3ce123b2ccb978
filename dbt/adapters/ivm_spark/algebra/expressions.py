"""The expressions that are understood; a view with any other expression is not maintained.

An unknown function could be an aggregate, a generator or random. Written back, it would still have
the same plan as the user's text, so the comparison of plans could not detect it. Therefore this
module lists what is known.
"""

from __future__ import annotations

import re

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import calls_clock, is_clock_text, is_time_of_day
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.functions import (
    AGGREGATES,
    GENERATORS,
    NAMED_BY_ARGUMENTS,
    NOT_DETERMINISTIC,
    SCALARS,
    WINDOWS,
    is_trusted,
)
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.struct_fields import is_row

_CALL = re.compile(r"`?([A-Za-z_]\w*)`?\s*\(")

WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)

_TIMESTAMPS = tuple(
    exp.DType[name] for name in "TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ TIMESTAMPNTZ".split()
)
_OPERATORS = (
    exp.Binary,
    exp.Unary,
    exp.Between,
    exp.In,
    exp.Is,
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Case,
    exp.If,
    exp.Interval,
    exp.Var,
    exp.Bracket,
    exp.Tuple,
    exp.Lambda,
    exp.DataType,
    exp.DataTypeParam,
    exp.ColumnDef,
    exp.Alias,
    exp.PropertyEQ,
    exp.Distinct,
    exp.Order,
    exp.Ordered,
    exp.Where,
    exp.HexString,
    exp.Slice,
    exp.Escape,
    exp.All,
    exp.Any,
    exp.Window,
    exp.WindowSpec,
    *WRAPPERS,
)

ORDER_DEPENDENT = frozenset(
    """any_value approx_percentile approx_top_k array_agg bitmap_construct_agg collect_list
    collect_set count_min_sketch first first_value histogram_numeric hll_sketch_agg
    hll_union_agg kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float last
    last_value listagg max_by min_by mode percentile_approx string_agg theta_sketch_agg
    theta_union_agg theta_intersection_agg approx_top_k_accumulate approx_top_k_combine""".split()
)
"""Aggregates whose result may differ between two runs over the same rows."""

_LISTS_IN_ORDER = frozenset({"listagg", "string_agg"})

TIME_WINDOW = "window"
"""The function that gives a row the windows of time it lies in; it has an operator of its own."""

_TIMES = (
    exp.CurrentDate,
    exp.CurrentTimestamp,
    exp.CurrentTime,
    exp.CurrentUser,
    exp.Rand,
    exp.Randn,
)


def function_name(node: exp.Expr) -> str | None:
    """Return Spark's lower-case name of the function that a node calls, None for an operator."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, WRAPPERS):
        return function_name(node.this)
    if not isinstance(node, exp.Func) or isinstance(node, (exp.Case, exp.Connector)):
        return None
    if isinstance(node, exp.Cast):  # the most frequent one need not be written to know its name
        return "try_cast" if node.args.get("safe") else "cast"
    call = _CALL.match(to_sql(node))
    return call.group(1).lower() if call else None


def value_in_order(call: exp.Expr) -> exp.Expr | None:
    """Return the value that a call lists in an order by that value, else None.

    Rows of equal keys then have equal values, unless these have a collation.
    """
    within = call.this if isinstance(call, exp.Filter) else call
    if not isinstance(within, exp.WithinGroup) or function_name(within) not in _LISTS_IN_ORDER:
        return None
    value = within.this.expressions[0]
    if isinstance(value, exp.Distinct):
        value = value.expressions[0]
    keys = [key.this for key in within.expression.expressions]
    return value if value in keys else None


def is_aggregate(node: exp.Expr) -> bool:
    """Return whether a node calls an aggregate function, perhaps inside FILTER or WITHIN GROUP."""
    if isinstance(node, WRAPPERS):
        return is_aggregate(node.this)
    return function_name(node) in AGGREGATES


def aggregates_in(expression: exp.Expr) -> list[exp.Expr]:
    """Return the outermost aggregate calls in an expression, left to right.

    A window function is not an aggregate call, but its arguments and clauses may contain some.
    """
    if isinstance(expression, (exp.Column, exp.Literal)):
        return []
    if isinstance(expression, exp.Window):
        call: exp.Expr = expression.this
        parts: list[exp.Expr] = [p for p in expression.iter_expressions() if p is not call]
        while isinstance(call, WRAPPERS):
            parts.extend(p for p in call.iter_expressions() if p is not call.this)
            call = call.this
        return [a for part in (*call.iter_expressions(), *parts) for a in aggregates_in(part)]
    if is_aggregate(expression):
        return [expression]
    return [call for child in expression.iter_expressions() for call in aggregates_in(child)]


def check(expression: exp.Expr, windows: bool = False, constant: bool = False) -> None:
    """Raise NotMaintained unless every node of the expression is known and deterministic.

    A call of the clock is one too, since a refresh pins the clock.

    windows: the clause may contain window functions. constant: its rows never change, so that a
    window may be over all of them. The reason is EXPRESSION_NOT_DETERMINISTIC,
    WINDOW_WITHOUT_PARTITION_BY, OPERATOR_NOT_SUPPORTED or QUERY_NOT_UNDERSTOOD. Its detail names
    the function or the clause.
    """
    for node in expression.walk():
        if isinstance(node, (exp.Query, exp.Exists)):
            raise not_supported("a subquery inside an expression")
        if isinstance(node, exp.Window):
            _check_window(node, windows, constant)
        _check_node(node)


def _check_window(node: exp.Window, allowed: bool, constant: bool) -> None:
    """Raise NotMaintained unless the window is understood and its PARTITION BY uses a column.

    A constant PARTITION BY puts all rows into one partition, so it counts as none. Over rows that
    never change, none is needed.
    """
    keys = node.args.get("partition_by") or []
    if not constant and not any(key.find(exp.Column) for key in keys):
        raise NotMaintained(ReasonCode.WINDOW_WITHOUT_PARTITION_BY, to_sql(node))
    if not allowed:
        raise not_supported("a window function in this clause")
    spec = node.args.get("spec")
    odd = spec is not None and spec.args.get("kind", "").upper() not in ("ROWS", "RANGE")
    if odd or node.args.get("alias") or node.args.get("over") != "OVER":
        raise not_supported(to_sql(node))
    if function_name(node.this) not in WINDOWS | AGGREGATES:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, to_sql(node))
    if any(inner is not node for inner in node.find_all(exp.Window)):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "a window in a window")


def is_known(node: exp.Expr) -> bool:
    """Return whether one node of an expression is known and depends only on its arguments."""
    name = function_name(node)
    if isinstance(node, _TIMES) or _reads_clock(node, name):
        return False
    if name is None:
        return isinstance(node, _OPERATORS)
    if isinstance(node.parent, exp.Dot) and node.arg_key == "expression":
        return False
    return name in SCALARS | AGGREGATES | WINDOWS | GENERATORS | NAMED_BY_ARGUMENTS


def _reads_clock(node: exp.Expr, name: str | None) -> bool:
    """Return whether a node reads a text as a time, or calls a nondeterministic function."""
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        if is_time_of_day(node.this.name):
            return node.to.is_type(*_TIMESTAMPS)
        return not node.to.is_type(*exp.DataType.TEXT_TYPES) and is_clock_text(node.this.name)
    if name == "unix_timestamp":
        return not node.args.get("expressions")
    return name in NOT_DETERMINISTIC


def _check_node(node: exp.Expr) -> None:
    if calls_clock(node):
        return
    name = function_name(node)
    if isinstance(node, _TIMES) or _reads_clock(node, name):
        detail = f"{name}()" if name in NOT_DETERMINISTIC else to_sql(node)
        raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, detail)
    if isinstance(node, exp.Tuple) and not is_row(node):
        raise not_supported(f"a row as a value: {to_sql(node)}")
    if name is None:
        if not isinstance(node, _OPERATORS):
            raise not_supported(f"{type(node).__name__}: {to_sql(node)}")
        return
    if is_trusted(node):
        return
    if isinstance(node.parent, exp.Dot) and node.arg_key == "expression":
        raise not_supported(f"{to_sql(node.parent)}, a function that is not Spark's own")
    if name in NAMED_BY_ARGUMENTS:
        raise not_supported(f"{name}(), which names its fields by its arguments")
    if name in GENERATORS:
        raise not_supported(f"{name}() in a select list")
    if name in WINDOWS and node.find_ancestor(exp.Window) is None:
        raise not_supported(f"{name}() without OVER")
    if name not in SCALARS | AGGREGATES | WINDOWS:
        raise not_supported(f"{name}(), a function that is not Spark's own")
