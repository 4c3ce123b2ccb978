"""Counts that must not be negative, and values that are NULL without any counted row."""

from __future__ import annotations

from sqlglot import exp

_RAISE = "ivm: the state does not fit its sources (a negative count); run with --full-refresh"


def checked(count: exp.Expr) -> exp.Expr:
    """A count that raises when it is negative: that would be a wrong state, never hidden."""
    negative = exp.LT(this=count.copy(), expression=exp.Literal.number(0))
    error = exp.Anonymous(this="raise_error", expressions=[exp.Literal.string(_RAISE)])
    return exp.Case(ifs=[exp.If(this=negative, true=exp.cast(error, "bigint"))], default=count)


def or_zero(expression: exp.Expr) -> exp.Expr:
    """The value, 0 where it is NULL."""
    return exp.Coalesce(this=expression, expressions=[exp.Literal.number(0)])


def null_without(counter: exp.Expr, value: exp.Expr) -> exp.Expr:
    """NULL where no non-null value is left, else the value."""
    some = exp.NEQ(this=counter, expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=some, true=value)])
