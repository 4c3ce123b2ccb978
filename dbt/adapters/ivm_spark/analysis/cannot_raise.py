"""Predicates that are certain not to raise, whatever the row.

Under ANSI a cast of text that is no number, a division or an overflow is an error. A predicate that
is evaluated where the query would not, before another one that guards it, must not be such.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

_COMPARES = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.In, exp.Between)
_TEXTS = ("string", "char", "varchar")
_CONNECTS = (exp.And, exp.Or, exp.Not, exp.Paren)


def cannot_raise(predicate: exp.Expr, types: Mapping[str, str]) -> bool:
    """Whether a predicate only compares columns with constants and each other, no text with
    numbers.

    types: Spark's, by column; a predicate over other columns is none of these.
    """
    if isinstance(predicate, _CONNECTS):
        return all(cannot_raise(part, types) for part in predicate.iter_expressions())
    if isinstance(predicate, exp.Is):
        return isinstance(predicate.this, exp.Column) and predicate.this.name in types
    if isinstance(predicate, exp.Like):
        text, pattern = predicate.this, predicate.expression
        return _kind(text, types) == "string" and _kind(pattern, types) == "text"
    if not isinstance(predicate, _COMPARES) or predicate.args.get("query"):
        return False
    kinds = {_kind(part, types) for part in predicate.iter_expressions()}
    return "?" not in kinds and ("string" not in kinds or kinds <= {"string", "text"})


def _kind(operand: exp.Expr, types: Mapping[str, str]) -> str:
    """The type of an operand: a column's (string for every kind of it), text or number for a
    constant, ? for anything else. A text is made the column's type, once for all rows."""
    if isinstance(operand, exp.Column):
        type_name = types.get(operand.name, "?")
        return "string" if type_name.startswith(_TEXTS) else type_name
    if isinstance(operand, exp.Literal):
        return "text" if operand.is_string else "number"
    if isinstance(operand, (exp.Cast, exp.Neg)) and isinstance(operand.this, exp.Literal):
        return "number"
    return "?"
