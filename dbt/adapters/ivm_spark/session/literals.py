"""Python values as Spark SQL literals."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

MAX_DECIMAL_DIGITS = 38


def as_sent(sql: str, bindings: Sequence[object] | None) -> str:
    """A statement as Spark takes it: without the semicolon at its end, and with the values bound
    to it, if there are any, as literals."""
    sql = sql.strip().rstrip(";")
    return sql if bindings is None else sql % tuple(map(sql_literal, bindings))


def sql_literal(value: object) -> str:
    """Write one bound value of a seed or a statement as a literal that loses nothing.

    dbt-spark's session writes NULL as the text 'None', numbers as doubles, and does not escape
    quotes. Decimals of more digits than Spark's literals hold are written as text, which the
    CAST around it reads.
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
    # Else Spark would put a setting's value in the place of ${name}.
    text = text.replace("${", "$\\{")
    return f"'{text}'"
