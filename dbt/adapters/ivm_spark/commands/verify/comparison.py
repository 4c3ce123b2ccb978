"""The comparison that the template `ivm_differences_sql` makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.types import is_float
from dbt.adapters.ivm_spark.commands.verify.comparable import comparable

_PARTS = 1_000_000
"""A hash divides the rows into this many parts; a sample takes a fraction of the parts."""

Outputs = Sequence[tuple[str, str]]


class ComparisonError(ValueError):
    """The requested comparison is impossible; the message says why, and what is possible."""


@dataclass(frozen=True)
class Column:
    """A column of both sides.

    Attributes:
        name: its quoted name.
        compared: the form that rows are grouped by.
        inexact: it holds floats, and two close floats may be rounded to different values.
    """

    name: str
    compared: str
    inexact: bool


@dataclass(frozen=True)
class Comparison:
    """A view and its query, to be compared.

    Attributes:
        shown: the view at a version of its state.
        wanted: its query at the recorded versions, with the same columns in the same order.
        names: quoted names of all columns.
        columns: the columns that are compared.
        sampled: the condition that a row of the sample meets, empty for all rows.
        live: the condition that a row is not frozen, empty if none is.
    """

    shown: str
    wanted: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    sampled: str
    live: str = ""


def columns_of(outputs: Outputs, excluded: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns to compare: those of the view without the excluded ones.

    outputs: (name, Spark type) of the view's columns. Raises ComparisonError for an unknown name,
    and if no column is left.
    """
    known = {name.lower() for name, _ in outputs}
    unknown = [name for name in excluded if name.lower() not in known]
    if unknown:
        raise ComparisonError(
            f"exclude names {', '.join(unknown)}, which the view does not have. Its columns are: "
            f"{', '.join(name for name, _ in outputs)}"
        )
    left_out = {name.lower() for name in excluded}
    found = tuple(
        Column(quote(name), _compared(name, kind), is_float(kind))
        for name, kind in outputs
        if name.lower() not in left_out
    )
    if not found:
        raise ComparisonError(
            "exclude names every column of the view, so nothing is left to compare"
        )
    return found


def sampled_by(sample: object, outputs: Outputs, keys: Sequence[str]) -> str:
    """Return the condition that picks a fraction of the rows, the same on both sides.

    sample: a number above 0 and at most 1, or None for all rows; keys: names of columns whose
    values no two rows share, empty if only all columns together tell rows apart. Raises
    ComparisonError for another sample.
    """
    if sample is None:
        return ""
    fraction = _fraction(sample)
    picked = [(name, kind) for name, kind in outputs if not keys or name in keys]
    values = [comparable(exp.column(name, quoted=True), kind) for name, kind in picked]
    place = exp.Anonymous(
        this="pmod",
        expressions=[
            exp.Anonymous(this="xxhash64", expressions=values),
            exp.Literal.number(_PARTS),
        ],
    )
    most = exp.Literal.number(round(fraction * _PARTS))
    return to_sql(exp.LT(this=place, expression=most))


def _compared(name: str, kind: str) -> str:
    return to_sql(comparable(exp.column(name, quoted=True), kind))


def _fraction(sample: object) -> float:
    message = f"sample is {sample!r}; it must be a number above 0 and at most 1"
    if isinstance(sample, bool) or not isinstance(sample, (int, float, str)):
        raise ComparisonError(message)
    try:
        fraction = float(sample)
    except ValueError:
        raise ComparisonError(message) from None
    if not 1 / _PARTS <= fraction <= 1:
        raise ComparisonError(message)
    return fraction
