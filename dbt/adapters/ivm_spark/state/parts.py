"""The new contents of a state in parts, by ranges of one of its columns.

    part 1   c < b1 or c is null
    part 2   c >= b1 and c < b2
    ...
    part n   c >= b(n-1)

Every row is in exactly one part: NULLs in the first, and NaN, which Spark orders last, in the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import UnionAll
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.analysis.origins import ORIGIN, Origin
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding

ROWS, BOUNDS = "rows", "bounds"
"""The columns of `bounds_sql`."""
PART_ROWS = 10_000_000
"""Rows of the sources for a part, unless the model says how many parts there are."""
MOST = 100
"""The largest number of parts, unless the model says how many there are."""
_ACCURACY = 10_000
_SEPARATOR = ","
_TIMESTAMP = "timestamp"
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


@dataclass(frozen=True)
class Part:
    """One part of a state's new contents.

    Attributes:
        number: from 1.
        of: the number of parts.
        select: its rows, as SQL.
        where: which rows these are, in words for people.
    """

    number: int
    of: int
    select: str
    where: str

    @property
    def is_first(self) -> bool:
        return self.number == 1


def is_ranged(type_name: str) -> bool:
    """Return whether ranges of values of a Spark type can be found: numbers, dates, timestamps."""
    return type_name in (*_NUMBERS, "date", _TIMESTAMP, "timestamp_ntz") or type_name.startswith(
        "decimal("
    )


def bounds_sql(origins: Sequence[Origin], type_name: str, wanted: int, bind: Binding) -> str:
    """Return the query for the number of rows of the sources, and the values that begin the parts.

    Args:
        origins: of the column.
        type_name: of the column.
        wanted: the number of parts, 0 for one that depends on the rows.
        bind: writes a scan as SQL.
    """
    parts = wanted or MOST
    values = UnionAll(tuple(origin.rows for origin in origins), widens=False)
    value: exp.Expr = column(ORIGIN)
    if type_name == _TIMESTAMP:
        # Microseconds, so that the bounds mean the same under every time zone.
        value = exp.Anonymous(this="unix_micros", expressions=[value])
    shares = [exp.Literal.number(f"{number / parts:.6f}") for number in range(1, parts)]
    quantiles = exp.Anonymous(
        this="percentile_approx",
        expressions=[
            value,
            exp.Anonymous(this="array", expressions=shares),
            exp.Literal.number(_ACCURACY),
        ],
    )
    rows = render(values if len(origins) > 1 else origins[0].rows, bind).subquery("q")
    found = exp.select(
        exp.alias_(exp.Count(this=exp.Star()), ROWS), exp.alias_(quantiles, BOUNDS)
    ).from_(rows)
    kind = "bigint" if type_name == _TIMESTAMP else type_name
    certain = exp.select(column(ROWS), exp.alias_(_certain(column(BOUNDS), kind), BOUNDS))
    return to_sql(certain.from_(found.subquery("q")))


def _certain(quantiles: exp.Expr, type_name: str) -> exp.Expr:
    """Return quantiles as one text: those that can be read as their type, in order, each once.

    A quantile is computed as a double, so it may not be a value of its type.
    """

    def call(name: str, *arguments: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this=name, expressions=list(arguments))

    text = exp.to_identifier("x")
    kind = exp.DataType.build(type_name, dialect="spark")
    read = exp.TryCast(this=exp.column("x"), to=kind, safe=True)  # else it is written as CAST
    there = exp.Not(this=exp.Is(this=exp.column("x"), expression=exp.null()))
    texts = exp.cast(quantiles, "array<string>", dialect="spark")
    values = call("transform", texts, exp.Lambda(this=read, expressions=[text]))
    known = call("filter", values, exp.Lambda(this=there, expressions=[text.copy()]))
    ordered = call("array_sort", call("array_distinct", known))
    return call(
        "concat_ws",
        exp.Literal.string(_SEPARATOR),
        exp.cast(ordered, "array<string>", dialect="spark"),
    )


def bounds(texts: str, rows: int, wanted: int) -> tuple[str, ...]:
    """Return the values that begin each part but the first, as text, from the answer to that query.

    There is none if everything is one part.
    """
    values = [text for text in texts.split(_SEPARATOR) if text]
    if values and not wanted:
        parts, all_of_them = min(MOST, rows // PART_ROWS), len(values) + 1
        values = [values[max(n * all_of_them // parts - 1, 0)] for n in range(1, parts)]
    return tuple(dict.fromkeys(values))


def part(contents: str, by: str, type_name: str, bounds: Sequence[str], number: int) -> Part:
    """Return one part of a state's new contents.

    Args:
        contents: the query of all rows.
        by: the state's column.
        type_name: of this column.
        bounds: see `bounds`.
        number: from 1.
    """
    values = [_literal(text, type_name) for text in bounds]
    lower = [exp.GTE(this=column(by), expression=value) for value in values[: number - 1][-1:]]
    upper = [exp.LT(this=column(by), expression=value) for value in values[number - 1 :][:1]]
    where = exp.and_(*lower, *upper)
    if number == 1:
        where = exp.or_(where, exp.Is(this=column(by), expression=exp.null()))
    text = to_sql(where)
    select = f"select * from (\n{contents}\n) as ivm_contents where {text}"
    return Part(number, len(bounds) + 1, select, text)


def _literal(text: str, type_name: str) -> exp.Expr:
    if type_name == _TIMESTAMP:
        return exp.Anonymous(this="timestamp_micros", expressions=[exp.Literal.number(text)])
    return cast_as(exp.Literal.string(text), type_name)


def all_parts(table: str, columns: Sequence[str], version: int) -> str:
    """Return the query of all rows of a table of parts (quoted name) at a version."""
    names = ", ".join(to_sql(column(name)) for name in columns)
    return f"select {names} from {table} version as of {version}"
