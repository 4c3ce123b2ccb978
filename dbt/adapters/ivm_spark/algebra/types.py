"""What layouts and rules read from the names of Spark's types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import Item

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_UNORDERED = re.compile(r"\b(interval(?! (year|month|day|hour|minute|second))|geo\w+)")
_FIELD = re.compile(r"([<,])\s*([^<>,:`]+?)\s*:")
"""The name of a struct's field in a type's name, unless the field's name has one of these signs."""
_SMALL = frozenset({"tinyint", "smallint", "int"})
MAX_PRECISION = 38
_SUM_DIGITS = 10
"""How many digits Spark's sum of decimals has more than its input."""
MIN_ADJUSTED_SCALE = 6
"""The fractional digits that Spark's decimal arithmetic never cuts."""

ORDERED = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "string")
"""Types of keys whose ranges tell which files and row groups can contain a key."""


def is_integral(type_name: str) -> bool:
    """Return whether a type is tinyint, smallint, int or bigint."""
    return type_name in _SMALL or type_name == "bigint"


def is_float(type_name: str) -> bool:
    """Return whether a type is float or double, whose sums depend on the order of the rows."""
    return type_name in ("float", "double")


def is_small(type_name: str) -> bool:
    """Return whether a type is an integer whose sum can't leave bigint in fewer than 2**32 rows."""
    return type_name in _SMALL


def decimal_of(type_name: str) -> tuple[int, int] | None:
    """Return (precision, scale) of a decimal type, None for another type."""
    match = _DECIMAL.fullmatch(type_name)
    return (int(match.group(1)), int(match.group(2))) if match else None


def is_collated(type_name: str) -> bool:
    """Return whether equal values can look different, as under a case-insensitive collation."""
    return "collate " in type_name.lower()


def cast_as(value: exp.Expr, type_name: str) -> exp.Expr:
    """Return a value cast to a type by the name that Spark has for it.

    A name that sqlglot would write back as another one is written as it is: `void`, `time(6)`, a
    string with a collation. Spark's name of a struct has its fields without quotes.
    """
    if _is_written_back(type_name):
        return exp.cast(value, exp.DataType.build(type_name, dialect=IvmSpark))
    text = _FIELD.sub(lambda found: f"{found[1]}{quote(found[2])}:", type_name)
    return exp.cast(value, exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=text))


@lru_cache
def _is_written_back(type_name: str) -> bool:
    try:
        written = to_sql(exp.DataType.build(type_name, dialect=IvmSpark))
    except SqlglotError:
        return False
    return _bare(written) == _bare(type_name)


def _bare(type_name: str) -> str:
    return type_name.replace(" ", "").replace("`", "").lower()


def check_comparable(column: str, type_name: str) -> None:
    """Raise NotMaintained for a column whose rows can't be matched by equality."""
    lowered = type_name.lower()
    if "map<" in lowered:
        raise NotMaintained(ReasonCode.MAP_TYPE_NOT_SUPPORTED, f"{column} {type_name}")
    if lowered == "void":
        raise not_supported(f"a column {column} without type")
    if "variant" in lowered or is_collated(type_name):
        raise not_supported(f"a column {column} {type_name}")


def have_equality(types: Mapping[str, str]) -> bool:
    """Return whether rows of these columns (Spark type by name) can be matched by equality."""
    try:
        for name, kind in types.items():
            check_comparable(name, kind)
    except NotMaintained:
        return False
    return True


def check_orderable(column: str, type_name: str) -> None:
    """Raise NotMaintained for a column that Spark can't order by."""
    if _UNORDERED.search(type_name.lower()):
        raise not_supported(f"the order of a column {column} {type_name}")


def sum_type(type_name: str) -> str:
    """Return the type of Spark's sum of integers, or of a decimal type that is not tight."""
    exact = decimal_of(type_name)
    return "bigint" if exact is None else f"decimal({exact[0] + _SUM_DIGITS},{exact[1]})"


def is_tight(type_name: str) -> bool:
    """Return whether sums of a decimal type leave no digit for the sum of two sums.

    Spark may then cut its scale.
    """
    exact = decimal_of(type_name)
    return exact is not None and exact[0] + _SUM_DIGITS + 1 > MAX_PRECISION


def division_scale(dividend: tuple[int, int], divisor: tuple[int, int]) -> int:
    """Return the scale of the quotient of two decimals.

    Source: Spark's `DecimalPrecision` (Divide) and `DecimalType.adjustPrecisionScale`.
    """
    (p1, s1), (p2, s2) = dividend, divisor
    scale = max(6, s1 + p2 + 1)
    precision = p1 - s1 + s2 + scale
    if precision <= MAX_PRECISION:
        return scale
    digits = precision - scale
    return max(MAX_PRECISION - digits, min(scale, 6))


TEXT = "__ivm_text_"
"""The prefix of the columns of `float_texts`. Casting such a text back gives the same float."""


def float_texts(columns: Iterable[tuple[str, str]]) -> dict[str, Item]:
    """Return an item with the text of each FLOAT and DOUBLE column, by the column's name.

    columns: (name, Spark type) of each column.
    """
    return {
        name: Item(f"{TEXT}{place}", exp.cast(column(name), "string"))
        for place, (name, kind) in enumerate(columns)
        if is_float(kind)
    }
