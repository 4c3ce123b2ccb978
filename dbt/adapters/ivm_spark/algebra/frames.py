"""What a window function sees of its partition, and whether the order of equal rows shows in it."""

from __future__ import annotations

from enum import Enum

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.expressions import ORDER_DEPENDENT, function_name


class Frame(str, Enum):
    """The rows that a window function is computed over.

    WHOLE: the partition. ROWS: counted from the row. UP_TO_PEERS: from the partition's first row
    to the last row that ORDER BY does not tell apart from the row, as is the default with ORDER
    BY. RANGE: any other frame whose ends ORDER BY can't place within rows that it holds equal.
    """

    WHOLE = "whole"
    ROWS = "rows"
    UP_TO_PEERS = "up_to_peers"
    RANGE = "range"


BY_PEERS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
"""Functions of the row's place among the others, equal for rows that ORDER BY holds equal."""

BY_PLACE = frozenset({"row_number", "ntile", "lag", "lead"})
"""Functions of the row's place, whatever frame is written."""

ROUNDED = frozenset(
    """avg corr covar_pop covar_samp kurtosis mean regr_avgx regr_avgy regr_intercept regr_r2
    regr_slope regr_sxx regr_sxy regr_syy skewness std stddev stddev_pop stddev_samp sum try_avg
    try_sum var_pop var_samp variance""".split()
)
"""Aggregates that add up: a FLOAT or DOUBLE result is rounded in the order of the rows."""

_IN_ORDER = ORDER_DEPENDENT | ROUNDED | {"nth_value"}


def frame_of(window: exp.Window) -> Frame:
    """The frame of an `exp.Window`, defaults spelled out."""
    spec = window.args.get("spec")
    if spec is None:
        return Frame.UP_TO_PEERS if window.args.get("order") else Frame.WHOLE
    start, end = _end(spec, "start"), _end(spec, "end")
    if (start, end) == ("UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING"):
        return Frame.WHOLE
    if spec.args["kind"].upper() == "ROWS":
        return Frame.ROWS
    if (start, end) == ("UNBOUNDED PRECEDING", "CURRENT ROW"):
        return Frame.UP_TO_PEERS
    return Frame.RANGE


def in_order(window: exp.Window) -> bool:
    """True for a function whose result may depend on the order of the rows in its frame."""
    return function_name(window.this) in _IN_ORDER


def takes_first(window: exp.Window) -> bool:
    """True for a function of the first row in its frame, NULL or not."""
    call = window.this
    if not isinstance(call, exp.Anonymous) or len(call.expressions) != 1:
        return False
    plain = not isinstance(call.expressions[0], (exp.IgnoreNulls, exp.RespectNulls))
    return plain and call.name.lower() in ("first", "first_value", "any_value")


def _end(spec: exp.WindowSpec, which: str) -> str:
    """One end of a frame in words; the place of an offset is taken by `n`."""
    value, side = spec.args.get(which), spec.args.get(f"{which}_side")
    word = value.upper() if isinstance(value, str) else "n"
    return f"{word} {side.upper()}" if side else word
