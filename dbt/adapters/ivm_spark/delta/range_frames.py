"""The frames of late rows by RANGE, without those of the rows that they only look at.

    max(v) OVER (PARTITION BY p ORDER BY at RANGE BETWEEN 364 PRECEDING AND CURRENT ROW)

Rows before the first changed one are early, the others are late (`near`). Only late rows are given,
but Spark's window would compute the frame of each early row too, and frames may have many rows.
The frame of a late row has two parts:

1. early rows, from the bound `at - 364` on. If early rows and bounds are put in one descending
   order, these are all rows up to the bound. Spark computes such a frame from the one before it;
2. late rows. They are the frame as written, over late rows alone.

The function's value is combined from those of both parts: a count is their sum, a maximum their
greatest.

Applies if

1. each function is max, min, count or sum over the same frame: a RANGE from a constant before the
   row up to the row;
2. the key that orders the rows is INT or BIGINT, or a DATE with an offset in days: the bound of a
   later row is never earlier, unless one overflows;
3. values of max and min that are equal look alike, and a sum is of integers or short decimals.

A bound that overflows is after its row. Spark drops such a row from each frame. Among early rows it
is not counted here either, and among late rows Spark does the same again.

Source: Leis, Kundhikanjana, Kemper, Neumann, "Efficient processing of window functions in
analytical SQL queries" (VLDB 2015), for frames; Gray et al., "Data cube" (ICDE 1996), for
distributive aggregates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed, used_columns
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.tree import Filter, Item, Node, Project, Window
from dbt.adapters.ivm_spark.algebra.types import (
    cast_as,
    decimal_of,
    is_integral,
    is_tight,
    sum_type,
)
from dbt.adapters.ivm_spark.analysis.origins import value_type
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, looks_alike
from dbt.adapters.ivm_spark.delta.bags import SIDE
from dbt.adapters.ivm_spark.delta.near import LATE, Reach, is_late
from dbt.adapters.ivm_spark.delta.sided import sided

MAX_OFFSET = 2**31 - 1
"""The greatest offset that an INT or a number of days can be."""
_BOUND, _PLACE, _COUNTED = "__ivm_bound", "__ivm_place", "__ivm_counted"
_EARLY, _LATE = "__ivm_of_early_", "__ivm_of_late_"
_DAYS = frozenset({"DAY", "DAYS"})


def frames_of_late_rows(
    node: Window, rows: Node, reach: Reach, sources: Mapping[str, SourceFacts]
) -> Node | None:
    """Return the late rows of both sides with their window functions, None if no rule applies.

    They have the columns of the operator and `SIDE`.

    Args:
        node: the window operator.
        rows: what it reads of both sides, see `near_sides`, with `LATE` and `SIDE`.
        reach: of the operator.
        sources: facts of the sources, by quoted name.
    """
    bound = _bound(node.input, reach, sources)
    if bound is None:
        return None
    calls = [item.expression.this for item in node.items]
    values = [_value(node.input, call, n, sources) for n, call in enumerate(calls)]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    placed = _placed(_for_frames(node, rows, calls, reach), reach, bound)
    growing = tuple(
        Item(f"{_EARLY}{n}", _growing(node.keys, call, reach)) for n, call in enumerate(calls)
    )
    late = Filter(sided(Window(node.input, growing), placed), is_late())
    written = tuple(Item(f"{_LATE}{n}", item.expression) for n, item in enumerate(node.items))
    both = sided(Window(node.input, written), late)
    items = tuple(Item(item.name, value) for item, value in zip(node.items, known, strict=True))
    return Project(both, (*passed(node.input.columns), *items, *passed((SIDE,))))


def _for_frames(node: Window, rows: Node, calls: Sequence[exp.Expr], reach: Reach) -> Node:
    """Return the rows, without the values of early rows that no frame needs."""
    needed = used_columns(*node.keys, *calls, reach.key) | {LATE, SIDE}
    late_only = (c for c in rows.columns if c not in needed)
    emptied = {c: exp.Case(ifs=[exp.If(this=is_late(), true=column(c))]) for c in late_only}
    return Project(rows, tuple(Item(c, emptied.get(c, column(c))) for c in rows.columns))


def _bound(rows: Node, reach: Reach, sources: Mapping[str, SourceFacts]) -> exp.Expr | None:
    """Return where the frame of a row begins, None if it is not certain."""
    if len(reach.offsets) != 1:
        return None
    kind = value_type(rows, reach.key, sources)
    if kind not in ("date", "int", "bigint"):
        return None
    offset = _constant(reach.offsets[0], in_days=kind == "date")
    if offset is None:
        return None
    if kind == "date":
        call = "date_add" if reach.descending else "date_sub"
        return exp.Anonymous(this=call, expressions=[reach.key.copy(), offset])
    operator = exp.Add if reach.descending else exp.Sub
    return operator(this=exp.paren(reach.key.copy()), expression=offset)


def _constant(offset: exp.Expr, in_days: bool) -> exp.Expr | None:
    """Return an offset as a number of rows' keys or of days, None if it is another."""
    if in_days and isinstance(offset, exp.Interval):
        unit = offset.unit
        if unit is None or unit.name.upper() not in _DAYS:
            return None
        offset = offset.this
    elif isinstance(offset, exp.Literal) and offset.is_string:
        return None
    if not isinstance(offset, exp.Literal) or not offset.name.isdecimal():
        return None
    return exp.Literal.number(offset.name) if int(offset.name) <= MAX_OFFSET else None


def _placed(rows: Node, reach: Reach, bound: exp.Expr) -> Node:
    """Put early rows by their keys and late ones by their bounds, in one order."""
    bounded = Project(rows, (*passed(rows.columns), Item(_BOUND, bound)))
    kind = exp.GTE if reach.descending else exp.LTE
    in_range = kind(this=column(_BOUND), expression=reach.key.copy())
    place = exp.If(this=is_late(), true=column(_BOUND), false=reach.key.copy())
    counted = exp.and_(exp.Not(this=is_late()), in_range)
    items = (*passed(rows.columns), Item(_PLACE, place), Item(_COUNTED, counted))
    return Project(bounded, items)


def _growing(keys: tuple[exp.Expr, ...], call: exp.Anonymous, reach: Reach) -> exp.Window:
    """Return an aggregate of the rows that count, from the first changed row back to a place."""
    (value,) = call.expressions
    counted = exp.Case(ifs=[exp.If(this=column(_COUNTED), true=value.copy())])
    place = exp.Ordered(
        this=column(_PLACE), desc=not reach.descending, nulls_first=reach.descending
    )
    return exp.Window(
        this=exp.Anonymous(this=call.this, expressions=[counted]),
        partition_by=[key.copy() for key in keys],
        order=exp.Order(expressions=[place]),
        over="OVER",
    )


def _value(
    rows: Node, call: exp.Expr, n: int, sources: Mapping[str, SourceFacts]
) -> exp.Expr | None:
    """Return a function's value from its values over both parts of the frame.

    It is None if that is not certain.

    Args:
        rows: the input of the operator.
        call: the function.
        n: its place in the operator.
        sources: facts of the sources.
    """
    name = function_name(call)
    if not isinstance(call, exp.Anonymous) or len(call.expressions) != 1:
        return None
    argument, early, late = call.expressions[0], column(f"{_EARLY}{n}"), column(f"{_LATE}{n}")
    if isinstance(argument, exp.Distinct):
        return None
    if name == "count":
        return exp.Add(this=early, expression=late)
    kind = value_type(rows, argument, sources)
    if kind is None:
        return None
    if name in ("max", "min") and looks_alike(kind):
        both = "greatest" if name == "max" else "least"
        return exp.Anonymous(this=both, expressions=[early, late])
    exact = is_integral(kind) or (decimal_of(kind) is not None and not is_tight(kind))
    if name != "sum" or not exact:
        return None
    added = cast_as(exp.Add(this=early.copy(), expression=late.copy()), sum_type(kind))
    return exp.Coalesce(this=added, expressions=[early, late])
