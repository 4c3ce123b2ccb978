"""What the template `ivm_differences_sql` compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.types import is_float
from dbt.adapters.ivm_spark.commands.verify.comparable import comparable

_PARTS = 1_000_000
"""How finely rows are sampled."""

Outputs = Sequence[tuple[str, str]]


class ComparisonError(ValueError):
    """What was asked for can't be compared; the message says why, and what can be."""


@dataclass(frozen=True)
class Column:
    """A column of both sides: its quoted name, the form that rows are grouped by, and whether it
    holds floats, which may be close to one another and yet be rounded apart."""

    name: str
    compared: str
    inexact: bool


@dataclass(frozen=True)
class Comparison:
    """shown: the view at a version of its state; wanted: its query at the recorded versions, with
    the same columns in the same order; names: of all of them, quoted; columns: those that are
    compared; sampled: the condition that a row of the sample meets, empty for all rows."""

    shown: str
    wanted: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    sampled: str


def columns_of(outputs: Outputs, excluded: Sequence[str]) -> tuple[Column, ...]:
    """The columns to compare: (name, Spark type) of the view's, without the excluded ones.

    Raises ComparisonError for an unknown name, and where nothing is left.
    """
    known = {name.lower() for name, _ in outputs}
    unknown = [name for name in excluded if name.lower() not in known]
    if unknown:
        raise ComparisonError(
            f"exclude names {', '.join(unknown)}; its columns are: "
            f"{', '.join(name for name, _ in outputs)}"
        )
    left_out = {name.lower() for name in excluded}
    found = tuple(
        Column(quote(name), _compared(name, kind), is_float(kind))
        for name, kind in outputs
        if name.lower() not in left_out
    )
    if not found:
        raise ComparisonError("exclude names all of its columns, so there is nothing to compare")
    return found


def sampled_by(sample: object, outputs: Outputs, keys: Sequence[str]) -> str:
    """The condition that picks a fraction of the rows, the same on both sides.

    sample: a number above 0, at most 1, or None for all rows; keys: names of columns that no two
    rows share, none where all of the columns tell rows apart. Raises ComparisonError.
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
    message = f"sample is {sample!r}; allowed is a number above 0, at most 1"
    if isinstance(sample, bool) or not isinstance(sample, (int, float, str)):
        raise ComparisonError(message)
    try:
        fraction = float(sample)
    except ValueError:
        raise ComparisonError(message) from None
    if not 1 / _PARTS <= fraction <= 1:
        raise ComparisonError(message)
    return fraction
