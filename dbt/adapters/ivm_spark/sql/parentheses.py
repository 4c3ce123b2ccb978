"""Adds parentheses where a tree's text would otherwise mean something else.

Expressions replace columns, and sqlglot adds no parentheses when it writes a tree. So a product
of a sum needs parentheses that nobody has written.
"""

from __future__ import annotations

from typing import TypeVar

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.precedence import BitwiseUnsignedRightShift

E = TypeVar("E", bound=exp.Expr)

_LEVELS: tuple[tuple[type[exp.Expr], ...], ...] = (
    (exp.Or,),
    (exp.And,),
    (exp.Not,),
    (
        *(exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.GT, exp.GTE, exp.LT, exp.LTE),
        *(exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.RegexpLike, exp.Escape),
    ),
    (exp.BitwiseOr,),
    (exp.BitwiseXor,),
    (exp.BitwiseAnd,),
    (exp.BitwiseLeftShift, exp.BitwiseRightShift, BitwiseUnsignedRightShift),
    (exp.Add, exp.Sub, exp.DPipe),
    (exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    (exp.Neg, exp.BitwiseNot),
    (exp.Bracket, exp.Dot, exp.Collate),
)
"""Operators from the loosest to the tightest. Source: booleanExpression and valueExpression of
Spark's SqlBaseParser.g4."""

_OPERANDS = ("this", "expression", "low", "high")

_LEVEL = {kind: level for level, kinds in enumerate(_LEVELS) for kind in kinds}
_COMPARED = _LEVEL[exp.EQ]


def parenthesized(tree: E) -> E:
    """Return the tree, changed in place, with parentheses around every operand that needs them."""
    for node in list(tree.walk()):
        level, parent = _LEVEL.get(type(node)), node.parent
        outer = _LEVEL.get(type(parent)) if parent is not None else None
        if level is None or outer is None or node is tree or isinstance(parent, exp.Escape):
            continue
        loose = level < outer or (level == outer and not _chained(node, level))
        if loose and node.arg_key in _OPERANDS:
            around = exp.Paren()
            node.replace(around)
            around.set("this", node)
    return tree


def _chained(node: exp.Expr, level: int) -> bool:
    """Return whether an operand needs no parentheses beside an operator of its own level."""
    if level < _COMPARED:
        return True
    return level > _COMPARED and node.arg_key == "this" and not isinstance(node, exp.Unary)
