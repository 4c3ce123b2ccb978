"""Parses operators by the precedence of Spark's grammar, which differs from sqlglot's.

sqlglot gives `|`, `^`, `&`, shifts and `||` one level, and comparisons two. In Spark each bitwise
operator has a level of its own, `||` is like `+`, and comparisons are equally tight. Source:
`booleanExpression` and `valueExpression` of Spark's SqlBaseParser.g4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import TokenType


class BitwiseUnsignedRightShift(exp.Expression, exp.Binary):
    """The operator >>>, which sqlglot does not have."""


_OPERATORS: tuple[dict[TokenType, type[exp.Binary]], ...] = (
    {TokenType.PIPE: exp.BitwiseOr},
    {TokenType.CARET: exp.BitwiseXor},
    {TokenType.AMP: exp.BitwiseAnd},
    {TokenType.LT: exp.BitwiseLeftShift, TokenType.GT: exp.BitwiseRightShift},
    {TokenType.PLUS: exp.Add, TokenType.DASH: exp.Sub, TokenType.DPIPE: exp.DPipe},
)
"""The operators between a comparison and a product, from the loosest to the tightest. A shift is
two or three tokens."""
_COMPARISONS: dict[TokenType, type[exp.Binary]] = {
    TokenType.EQ: exp.EQ,
    TokenType.NEQ: exp.NEQ,
    TokenType.NULLSAFE_EQ: exp.NullSafeEQ,
    TokenType.LT: exp.LT,
    TokenType.LTE: exp.LTE,
    TokenType.GT: exp.GT,
    TokenType.GTE: exp.GTE,
}
_PREDICATES = (
    TokenType.BETWEEN,
    TokenType.IN,
    TokenType.LIKE,
    TokenType.ILIKE,
    TokenType.RLIKE,
    TokenType.IS,
)
_SHIFTS = (exp.BitwiseLeftShift, exp.BitwiseRightShift, BitwiseUnsignedRightShift)


class OperatorParser(Spark.Parser):  # type: ignore[misc, valid-type]  # sqlglot types it as a value
    """A parser of Spark SQL with Spark's precedence of operators."""

    RANGE_PARSERS: ClassVar[dict[TokenType, Callable[..., exp.Expr]]] = {
        kind: Spark.Parser.RANGE_PARSERS[kind] for kind in _PREDICATES
    }

    def _parse_equality(self, parse_is: bool = True) -> exp.Expr | None:
        """Parse comparisons, and the predicate after them if `parse_is`."""
        this = self._parse_comparison()
        return self._parse_range(this) if parse_is and this else this

    def _parse_comparison(self, this: exp.Expr | None = None) -> exp.Expr | None:
        """Parse comparisons; all are equally tight, and the left one comes first."""
        this = this or self._parse_bitwise()
        while self._match_set(_COMPARISONS):
            kind = _COMPARISONS[self._prev.token_type]
            this = self.expression(kind(this=this, expression=self._parse_bitwise()))
        return this

    def _parse_range(self, this: exp.Expr | None = None, parse_is: bool = False) -> exp.Expr | None:
        """Parse the predicate after its operand, if there is one."""
        this = this or self._parse_bitwise()
        negated = self._match(TokenType.NOT)
        if self._match_set(self.RANGE_PARSERS):
            found = self.RANGE_PARSERS[self._prev.token_type](self, this)
            return self._negate_range(found) if negated else found
        if negated:
            self._retreat(self._index - 1)
        return this

    def _parse_bitwise(self) -> exp.Expr | None:
        """Parse sums, shifts and bitwise operators by their precedence."""
        operands: list[exp.Expr | None] = [self._parse_factor()]
        waiting: list[tuple[int, type[exp.Binary]]] = []
        while True:
            found = self._parse_operator_between()
            while waiting and (found is None or waiting[-1][0] >= found[0]):
                right = operands.pop()
                kind = waiting.pop()[1]
                left = operands.pop()
                operands.append(self.expression(kind(this=left, expression=right)))
            if found is None:
                return operands[0]
            waiting.append(found)
            operands.append(self._parse_factor())

    def _parse_operator_between(self) -> tuple[int, type[exp.Binary]] | None:
        """Return the next operator and its level in `_OPERATORS`."""
        token = self._curr.token_type
        level = next((n for n, kinds in enumerate(_OPERATORS) if token in kinds), None)
        if level is None:
            return None
        kind = _OPERATORS[level][token]
        if kind in _SHIFTS:
            if not self._match_pair(token, token):
                return None
            if token is TokenType.GT and self._match(TokenType.GT):
                kind = BitwiseUnsignedRightShift
        else:
            self._advance()
        return level, kind

    def _parse_unary(self) -> exp.Expr | None:
        """Parse an operand with its sign and its collation; COLLATE is tighter than a sign."""
        if self._match_set(self.UNARY_PARSERS):
            parsed: exp.Expr | None = self.UNARY_PARSERS[self._prev.token_type](self)
            return parsed
        this: exp.Expr | None = self._parse_type()
        while this and self._match(TokenType.COLLATE):
            name = self._parse_id_var()
            collation = name if name is None or name.args.get("quoted") else exp.var(name.name)
            this = self.expression(exp.Collate(this=this, expression=collation))
        return this
