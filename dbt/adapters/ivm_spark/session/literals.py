"""Python values as Spark SQL literals."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

MAX_DECIMAL_DIGITS = 38


def as_sent(sql: str, bindings: Sequence[object] | None) -> str:
    """Return a statement as Spark takes it.

    The semicolon at its end is removed. The bound values, if there are any, become literals.
    """
    sql = sql.strip().rstrip(";")
    return sql if bindings is None else sql % tuple(map(sql_literal, bindings))


def sql_literal(value: object) -> str:
    """Return a bound value of a seed or a statement as a literal that loses nothing.

    dbt-spark's session writes NULL as the text 'None' and numbers as doubles, and does not escape
    quotes. A decimal with more digits than a Spark literal holds becomes text, which the CAST
    around it reads.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal) and value.is_finite():
        text = format(value, "f")
        digits = sum(character.isdigit() for character in text)
        return text if digits <= MAX_DECIMAL_DIGITS else f"'{text}'"
    if isinstance(value, dt.datetime):
        return f"'{value.isoformat(sep=' ')}'"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    # Without this, Spark replaces ${name} with the value of that setting.
    text = text.replace("${", "$\\{")
    return f"'{text}'"
