"""Predicates that certainly raise no error, whatever the row.

Under ANSI mode, a cast of a text that is no number, a division or an overflow is an error. A pass
may evaluate a predicate earlier than the query does, before another predicate that guards it. Then
the predicate must not raise.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

_COMPARES = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.In, exp.Between)
_TEXTS = ("string", "char", "varchar")
_CONNECTS = (exp.And, exp.Or, exp.Not, exp.Paren)


def cannot_raise(predicate: exp.Expr, types: Mapping[str, str]) -> bool:
    """Return whether a predicate only compares columns with constants and with each other.

    It must not compare text with numbers.

    Args:
        predicate: any predicate.
        types: Spark's types by column. A predicate over any other column may raise.
    """
    if isinstance(predicate, _CONNECTS):
        return all(cannot_raise(part, types) for part in predicate.iter_expressions())
    if isinstance(predicate, exp.Column):
        return types.get(predicate.name) == "boolean"
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
    """Return the type of an operand.

    It is the type of a column ("string" for all text types), "text" or "number" for a constant, and
    "?" for anything else. Spark casts a text constant to the column's type once for all rows.
    """
    if isinstance(operand, exp.Column):
        type_name = types.get(operand.name, "?")
        return "string" if type_name.startswith(_TEXTS) else type_name
    if isinstance(operand, exp.Boolean):
        return "boolean"
    if isinstance(operand, exp.Literal):
        return "text" if operand.is_string else "number"
    if isinstance(operand, (exp.Cast, exp.Neg)) and isinstance(operand.this, exp.Literal):
        return "number"
    return "?"
