"""Columns in a form that GROUP BY can compare: equal if their values count as equal.

Doubles are compared to twelve digits. The order in which Spark adds them is not part of a query's
meaning, so a sum may differ in its last digits from one evaluation to the next.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark

DIGITS = 12
_FORMAT = f"%.{DIGITS - 1}e"
_SIGNS = ("double", "float", "map<", "variant", "void")
_FLOATS = (exp.DType.DOUBLE, exp.DType.FLOAT)


def _is_exact(type_name: str) -> bool:
    """Return whether rows are compared by Spark's own equality."""
    return not any(sign in type_name.lower() for sign in _SIGNS)


def comparable(value: exp.Expr, type_name: str) -> exp.Expr:
    """Return the value in a form for GROUP BY that is equal if the values count as equal.

    NULL equals NULL, NaN equals NaN and -0.0 equals 0.0. The entries of a map have no order. A
    value whose type can't be read is compared as it is.
    """
    if _is_exact(type_name):
        return value
    if type_name.lower() == "void":
        return exp.cast(value, "string", dialect="spark")
    try:
        kind = exp.DataType.build(type_name, dialect=IvmSpark)
    except SqlglotError:
        return value
    return _of(value, kind, 0)


def _of(value: exp.Expr, kind: exp.DataType, depth: int) -> exp.Expr:
    if _is_exact(kind.sql(IvmSpark)):
        return value
    if kind.this in _FLOATS:
        return _unless_null(value, _rounded(value))
    if kind.this is exp.DType.VARIANT:
        return _call("to_json", value)
    if kind.this is exp.DType.ARRAY:
        return _call("transform", value, _each(kind.expressions[0], depth))
    if kind.this is exp.DType.MAP:
        key, held = kind.expressions
        entry = exp.DataType(
            this=exp.DType.STRUCT,
            expressions=[
                exp.ColumnDef(this=exp.to_identifier(name), kind=part)
                for name, part in (("key", key), ("value", held))
            ],
            nested=True,
        )
        entries = _call("map_entries", value)
        return _call("sort_array", _call("transform", entries, _each(entry, depth)))
    if kind.this is exp.DType.STRUCT:
        return _unless_null(value, _struct(value, kind, depth))
    return value


def _struct(value: exp.Expr, kind: exp.DataType, depth: int) -> exp.Expr:
    parts: list[exp.Expr] = []
    for field in kind.expressions:
        name = exp.to_identifier(field.name, quoted=True)
        part = exp.Dot(this=value.copy(), expression=name)
        parts += [exp.Literal.string(field.name), _of(part, field.args["kind"], depth)]
    return _call("named_struct", *parts)


def _each(kind: exp.DataType, depth: int) -> exp.Lambda:
    name = f"ivm_part{depth}"
    body = _of(exp.column(name), kind, depth + 1)
    return exp.Lambda(this=body, expressions=[exp.to_identifier(name)])


def _rounded(value: exp.Expr) -> exp.Expr:
    """Return twelve digits as text; adding zero turns -0.0 into the 0.0 that it equals."""
    positive = exp.Add(
        this=exp.cast(value.copy(), "double", dialect="spark"),
        expression=exp.cast(exp.Literal.number(0), "double", dialect="spark"),
    )
    return _call("format_string", exp.Literal.string(_FORMAT), positive)


def _unless_null(value: exp.Expr, then: exp.Expr) -> exp.Expr:
    missing = exp.Is(this=value.copy(), expression=exp.Null())
    return exp.If(this=missing, true=exp.Null(), false=then)


def _call(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[a.copy() for a in arguments])
