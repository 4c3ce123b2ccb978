"""Spark SQL as this product reads and writes it with sqlglot.

sqlglot's own Spark dialect translates functions into common ones and back (date_sub becomes
date_add, percentile_cont becomes percentile_approx). Here a function stays what the user called,
so that what is written back is what was read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

_SPECIAL_SYNTAX = "CAST TRY_CAST EXTRACT TRIM SUBSTRING SUBSTR POSITION OVERLAY".split()
_WITH_UNIT = "TIMESTAMPADD DATEADD DATE_ADD TIMESTAMPDIFF DATEDIFF DATE_DIFF TIMEDIFF".split()
"""Functions whose first of three arguments is a word of the call. Source: `primaryExpression` of
Spark's SqlBaseParser.g4."""
_UNITS = frozenset(
    """YEAR QUARTER MONTH WEEK DAY DAYOFYEAR HOUR MINUTE SECOND MILLISECOND MICROSECOND""".split()
)


def _call_with_unit(name: str) -> Callable[[Any], exp.Expr]:
    """Return the parser of a call whose first argument may be a unit, such as DATEADD(MONTH, 1, d).

    Without it the unit is read as a column, which a table may have.
    """

    def parse(parser: Any) -> exp.Expr:
        arguments = parser._parse_csv(parser._parse_lambda)
        if len(arguments) == 3 and _is_unit(arguments[0]):
            arguments[0] = exp.Var(this=arguments[0].name.upper())
        return exp.Anonymous(this=name.lower(), expressions=arguments)

    return parse


def _is_unit(argument: exp.Expr) -> bool:
    bare = isinstance(argument, exp.Column) and len(argument.parts) == 1
    return bare and not argument.this.quoted and argument.name.upper() in _UNITS


class IvmSpark(Spark):
    """Spark SQL with every function call kept as it is written."""

    SUPPORTS_STRUCT_STAR_EXPANSION = True

    class Tokenizer(Spark.Tokenizer):
        """Two quotes inside a string are one, as in Spark 4."""

        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'"]

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]  # sqlglot types it as a value
        """No function is known by name; those with a syntax of their own are still parsed."""

        FUNCTIONS: ClassVar[dict[str, Callable[..., exp.Expr]]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., exp.Expr]]] = {
            **{n: p for n, p in Spark.Parser.FUNCTION_PARSERS.items() if n in _SPECIAL_SYNTAX},
            **{name: _call_with_unit(name) for name in _WITH_UNIT},
        }


def dialect_name(case_sensitive: bool) -> str:
    """The dialect for a session, by its case sensitivity."""
    return "ivmspark, normalization_strategy=case_sensitive" if case_sensitive else "ivmspark"


def is_empty(sql: str) -> bool:
    """Whether a text has less than two words, so that it is no query."""
    try:
        return len(IvmSpark().tokenize(sql)) < 2
    except TokenError:
        return False


def without_end(sql: str) -> str:
    """A statement's text without the semicolons at its end and what stands behind them, so that
    it may stand between parentheses. A text that has no tokens stays, for Spark to say why."""
    try:
        tokens = IvmSpark().tokenize(sql)
    except TokenError:
        return sql
    end = len(sql)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        end = tokens.pop().start
    return sql[:end]


def to_sql(expression: exp.Expr, pretty: bool = False) -> str:
    """A tree as Spark SQL, functions spelled as they were written."""
    return expression.sql(IvmSpark, normalize_functions=False, pretty=pretty)
