"""A tree of operators, written and read again, is the same tree."""

from __future__ import annotations

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.precedence import BitwiseUnsignedRightShift
from dbt.adapters.ivm_spark.sql.parentheses import parenthesized

A, B, C = (exp.column(name) for name in "abc")


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (exp.Mul(this=exp.Add(this=A, expression=B), expression=C), "(a + b) * c"),
        (exp.Add(this=exp.Mul(this=A, expression=B), expression=C), "a * b + c"),
        (exp.Sub(this=A, expression=exp.Sub(this=B, expression=C)), "a - (b - c)"),
        (exp.Sub(this=exp.Sub(this=A, expression=B), expression=C), "a - b - c"),
        (exp.Not(this=exp.Is(this=exp.Or(this=A, expression=B), expression=exp.null())),
         "NOT (a OR b) IS NULL"),
        (exp.Is(this=exp.Not(this=A), expression=exp.null()), "(NOT a) IS NULL"),
        (exp.And(this=exp.Or(this=A, expression=B), expression=C), "(a OR b) AND c"),
        (exp.Or(this=A, expression=exp.Or(this=B, expression=C)), "a OR b OR c"),
        (exp.EQ(this=exp.EQ(this=A, expression=B), expression=C), "(a = b) = c"),
        (exp.Neg(this=exp.Neg(this=A)), "-(-a)"),
        (exp.BitwiseAnd(this=exp.BitwiseOr(this=A, expression=B), expression=C), "(a | b) & c"),
        (exp.BitwiseOr(this=exp.BitwiseAnd(this=A, expression=B), expression=C), "a & b | c"),
        (exp.Add(this=exp.BitwiseLeftShift(this=A, expression=B), expression=C), "(a << b) + c"),
        (BitwiseUnsignedRightShift(this=A, expression=BitwiseUnsignedRightShift(
            this=B, expression=C)), "a >>> (b >>> c)"),
        (exp.In(this=exp.Add(this=A, expression=B), expressions=[exp.Or(this=B, expression=C)]),
         "a + b IN (b OR c)"),
        (exp.Between(this=exp.And(this=A, expression=B), low=exp.EQ(this=B, expression=C), high=C),
         "(a AND b) BETWEEN (b = c) AND c"),
        (exp.EQ(this=exp.Escape(this=exp.Like(this=A, expression=B), expression=C), expression=C),
         "(a LIKE b ESCAPE c) = c"),
        (exp.Collate(this=exp.DPipe(this=A, expression=B), expression=exp.to_identifier("x")),
         "(a || b) COLLATE x"),
        (exp.Mul(this=exp.Mod(this=A, expression=exp.Sub(this=exp.Neg(this=B), expression=C)),
                 expression=exp.Paren(this=exp.Add(this=A, expression=B))),
         "a % (-b - c) * (a + b)"),
    ],
)  # fmt: skip
def test_operands_get_only_the_parentheses_they_need(tree: exp.Expr, text: str) -> None:
    select = exp.Select(expressions=[tree.copy()])
    assert to_sql(parenthesized(select)) == f"SELECT {text}"
