"""Window frames, and whether the order of equal rows affects a window function's result."""

from __future__ import annotations

from enum import Enum

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.expressions import ORDER_DEPENDENT, function_name


class Frame(str, Enum):
    """The rows over which a window function is computed.

    Attributes:
        WHOLE: the partition.
        ROWS: rows counted from the current row.
        UP_TO_PEERS: from the partition's first row to the last peer of the current row. Peers are
            rows that ORDER BY holds equal. This frame is the default with ORDER BY.
        RANGE: any other frame. Its ends never fall between rows that ORDER BY holds equal.
    """

    WHOLE = "whole"
    ROWS = "rows"
    UP_TO_PEERS = "up_to_peers"
    RANGE = "range"


BY_PEERS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
"""Functions of the row's position among the others, equal for rows that ORDER BY holds equal."""

BY_PLACE = frozenset({"row_number", "ntile", "lag", "lead"})
"""Functions of the row's position, whatever frame is written."""

ROUNDED = frozenset(
    """avg corr covar_pop covar_samp kurtosis mean regr_avgx regr_avgy regr_intercept regr_r2
    regr_slope regr_sxx regr_sxy regr_syy skewness std stddev stddev_pop stddev_samp sum try_avg
    try_sum var_pop var_samp variance""".split()
)
"""Aggregates that add values: the order of the rows affects the rounding of FLOAT and DOUBLE."""

_IN_ORDER = ORDER_DEPENDENT | ROUNDED | {"nth_value"}


def frame_of(window: exp.Window) -> Frame:
    """Return the frame of an `exp.Window`, with SQL's defaults applied."""
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
    """Return whether a function's result may depend on the order of the rows in its frame."""
    return function_name(window.this) in _IN_ORDER


def takes_first(window: exp.Window) -> bool:
    """Return whether a function takes the value of the first row in its frame, NULL or not."""
    call = window.this
    if not isinstance(call, exp.Anonymous) or len(call.expressions) != 1:
        return False
    plain = not isinstance(call.expressions[0], (exp.IgnoreNulls, exp.RespectNulls))
    return plain and call.name.lower() in ("first", "first_value", "any_value")


def _end(spec: exp.WindowSpec, which: str) -> str:
    """Return one end of a frame in words, with `n` in place of an offset."""
    value, side = spec.args.get(which), spec.args.get(f"{which}_side")
    word = value.upper() if isinstance(value, str) else "n"
    return f"{word} {side.upper()}" if side else word


def all_rows() -> exp.WindowSpec:
    """Return the frame of all rows of a partition, in the order of the window."""
    return exp.WindowSpec(
        kind="ROWS",
        start="UNBOUNDED",
        start_side="PRECEDING",
        end="UNBOUNDED",
        end_side="FOLLOWING",
    )
