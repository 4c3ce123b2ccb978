"""Expressions whose value is another one than when the state was last refreshed.

A constant of the clock moves with the time. If a model's SQL has changed, a predicate or a value
moves from the old query's to the new one's. The rules for both are in
`dbt.adapters.ivm_spark.delta.moved`.
"""

from __future__ import annotations

from sqlglot import exp


class Moved(exp.Expression):
    """An expression that has moved since the watermark; SQL shows the new one.

    Its arguments are `this`, the new expression, and `old`, the one of the watermark.
    """

    arg_types = {"this": True, "old": True}  # noqa: RUF012  # sqlglot's own form


class Edited(Moved):
    """An expression that the model's author has replaced by another one."""


def moves(expression: exp.Expr) -> bool:
    """Return whether an expression contains a part that has moved."""
    return expression.find(Moved) is not None


def before_move(expression: exp.Expr) -> exp.Expr:
    """Return an expression as it was at the watermark."""
    return _settled(expression, "old")


def after_move(expression: exp.Expr) -> exp.Expr:
    """Return an expression as it is now."""
    return _settled(expression, "this")


def _settled(expression: exp.Expr, value: str) -> exp.Expr:
    def settled(node: exp.Expr) -> exp.Expr:
        return node.args[value].copy() if isinstance(node, Moved) else node

    return expression.transform(settled)
