"""The dialect of Spark SQL in which sqlglot reads and writes queries here.

sqlglot's own Spark dialect translates functions into common ones and back: date_sub becomes
date_add, percentile_cont becomes percentile_approx. This dialect keeps every call as the user
wrote it, so a query is written as it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import DialectType
from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError
from sqlglot.generator import Generator
from sqlglot.tokenizer_core import Token, TokenType

from dbt.adapters.ivm_spark.algebra.keywords import identified
from dbt.adapters.ivm_spark.algebra.moved import Edited, Moved
from dbt.adapters.ivm_spark.algebra.precedence import BitwiseUnsignedRightShift, OperatorParser

_SPECIAL_SYNTAX = "CAST TRY_CAST EXTRACT TRIM SUBSTRING SUBSTR POSITION OVERLAY".split()
_WITH_UNIT = "TIMESTAMPADD DATEADD DATE_ADD TIMESTAMPDIFF DATEDIFF DATE_DIFF TIMEDIFF".split()
"""Functions that take a keyword as the first of three arguments. Source: `primaryExpression` of
Spark's SqlBaseParser.g4."""
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_UNITS = frozenset(
    """YEAR QUARTER MONTH WEEK DAY DAYOFYEAR HOUR MINUTE SECOND MILLISECOND MICROSECOND""".split()
)
_PLAIN_TYPES = frozenset(
    exp.DType[name]
    for name in "BIGINT BINARY BOOLEAN DATE DECIMAL DOUBLE INT SMALLINT TEXT TINYINT".split()
)
"""Types that sqlglot's Hive, on which its Spark stands, writes like any other dialect."""


class ChangesClause(exp.Expression):
    """The CHANGES clause of a table: its changed rows from a version to another, both included.

    Its arguments are `first` and `last`, the numbers of these versions.

    Source: Spark's documentation, "CHANGES clause"; `changesClause` of Spark's SqlBaseParser.g4.
    """

    arg_types = {"first": True, "last": True}  # noqa: RUF012  # sqlglot's own form


class OptionsClause(exp.Expression):
    """The WITH clause of a table: how its source is to read it.

    Its argument `options` holds the options, as text by name.

    Source: `optionsClause` of Spark's SqlBaseParser.g4.
    """

    arg_types = {"options": True}  # noqa: RUF012  # sqlglot's own form


def _options_clause(generator: Any, node: OptionsClause) -> str:
    options = (
        f"{generator.sql(exp.to_identifier(name, quoted=True))} = "
        f"{generator.sql(exp.Literal.string(value))}"
        for name, value in node.args["options"].items()
    )
    return f"WITH ({', '.join(options)})"


def _changes_clause(generator: Any, node: ChangesClause) -> str:
    first, last = (generator.sql(node, end) for end in ("first", "last"))
    return f"CHANGES FROM VERSION {first} TO VERSION {last}"


def _call_with_unit(name: str) -> Callable[[Any], exp.Expr]:
    """Return the parser of a call whose first argument may be a unit, such as DATEADD(MONTH, 1, d).

    Otherwise sqlglot would read the unit as a column, and a table may have a column of that name.
    """

    def parse(parser: Any) -> exp.Expr:
        arguments = parser._parse_csv(parser._parse_lambda)
        if len(arguments) == 3 and _is_unit(arguments[0]):
            arguments[0] = exp.Var(this=arguments[0].name.upper())
        return exp.Anonymous(this=name.lower(), expressions=arguments)

    return parse


def _struct(parser: Any) -> exp.Expr:
    """Parse the arguments of STRUCT, which may have aliases, with or without AS."""
    arguments = parser._parse_csv(lambda: parser._parse_alias(parser._parse_assignment()))
    return exp.Anonymous(this="struct", expressions=arguments)


def _written(operator: str) -> Callable[[Any, exp.Binary], str]:
    return lambda generator, node: str(generator.binary(node, operator))


def _is_unit(argument: exp.Expr) -> bool:
    bare = isinstance(argument, exp.Column) and len(argument.parts) == 1
    return bare and not argument.this.quoted and argument.name.upper() in _UNITS


class IvmSpark(Spark):
    """Spark SQL that keeps every function call as it is written."""

    SUPPORTS_STRUCT_STAR_EXPANSION = True

    def tokenize(self, sql: str, dialect: DialectType = None) -> list[Token]:
        """Return the tokens of a text, with an identifier for each keyword that is a name."""
        return identified(super().tokenize(sql, dialect))

    class Tokenizer(Spark.Tokenizer):
        """A tokenizer that reads two quotes inside a string as one, as Spark 4 does."""

        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'"]

    class Parser(OperatorParser):
        """A parser that knows no function by name unless the function has a syntax of its own."""

        SUPPORTS_TABLE_QUERY = True
        # In array(1, 2)[0] the brackets take an element.
        ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}
        FUNCTIONS: ClassVar[dict[str, Callable[..., exp.Expr]]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., exp.Expr]]] = {
            **{n: p for n, p in OperatorParser.FUNCTION_PARSERS.items() if n in _SPECIAL_SYNTAX},
            **{name: _call_with_unit(name) for name in _WITH_UNIT},
            "STRUCT": _struct,
        }
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., exp.Expr]]] = {
            name: parser
            for name, parser in OperatorParser.NO_PAREN_FUNCTION_PARSERS.items()
            if name in ("CASE", "IF", "TRANSFORM")
        }

        def _parse_value(self, values: bool = True) -> exp.Tuple | None:
            """Parse a row of VALUES; one without parentheses has no alias of its own."""
            if self._match(TokenType.L_PAREN, advance=False):
                row: exp.Tuple | None = super()._parse_value(values)
                return row
            value = self._parse_assignment()
            return None if value is None else exp.Tuple(expressions=[value])

        def _parse_lateral(self) -> exp.Lateral | None:
            """Parse LATERAL; in a LATERAL VIEW, AS before the columns may be missing."""
            lateral: exp.Lateral | None = super()._parse_lateral()
            alias = lateral.args.get("alias") if lateral and lateral.args.get("view") else None
            if alias is not None and not alias.columns and self._match_set(_NAMES, advance=False):
                alias.set("columns", self._parse_csv(lambda: self._parse_id_var(any_token=False)))
            return lateral

    class Generator(Spark.Generator):  # type: ignore[misc, valid-type]  # as above
        """A generator that writes constants of the clock, and shifts as operators."""

        # The inherited set moves the WITH of a subquery to the top, where its names would hide
        # tables and other CTEs of the query. Spark has subqueries with a WITH of their own.
        EXPRESSIONS_WITHOUT_NESTED_CTES: ClassVar[set[type[exp.Expr]]] = set()
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **Spark.Generator.TRANSFORMS,
            Moved: lambda self, e: self.sql(e, "this"),
            Edited: lambda self, e: self.sql(e, "this"),
            ChangesClause: _changes_clause,
            OptionsClause: _options_clause,
            exp.BitwiseLeftShift: _written("<<"),
            exp.BitwiseRightShift: _written(">>"),
            BitwiseUnsignedRightShift: _written(">>>"),
        }

        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            """Return a cast; the inherited method parses the name of a type for each."""
            number = isinstance(expression.this, exp.Literal) and expression.this.is_number
            if expression.to.this not in _PLAIN_TYPES or number:
                return str(super().cast_sql(expression, safe_prefix))
            return str(Generator.cast_sql(self, expression, safe_prefix))

        def datatype_sql(self, expression: exp.DataType) -> str:
            """Return a type; the inherited method parses the name of another for each."""
            is_text = expression.this is exp.DType.TEXT and expression.expressions
            if expression.this not in _PLAIN_TYPES or is_text:
                return str(super().datatype_sql(expression))
            return str(Generator.datatype_sql(self, expression))


def dialect_name(case_sensitive: bool) -> str:
    """Return the dialect for a session that is, or is not, case-sensitive."""
    return "ivmspark, normalization_strategy=case_sensitive" if case_sensitive else "ivmspark"


def is_empty(sql: str) -> bool:
    """Return whether a text has fewer than two tokens and so is not a query."""
    try:
        return len(IvmSpark().tokenize(sql)) < 2
    except TokenError:
        return False


def without_end(sql: str) -> str:
    """Return a statement's text up to the semicolons at its end, so that it fits into parentheses.

    A text that sqlglot can't tokenize stays as it is; Spark then reports the error.
    """
    try:
        tokens = IvmSpark().tokenize(sql)
    except TokenError:
        return sql
    end = len(sql)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        end = tokens.pop().start
    return sql[:end]


def to_sql(expression: exp.Expr, pretty: bool = False, owned: bool = False) -> str:
    """Return an expression as Spark SQL, with functions spelled as they were written.

    owned: the caller does not need the expression any more, so that it need not be copied.
    """
    return expression.sql(IvmSpark, normalize_functions=False, pretty=pretty, copy=not owned)


def union_all(queries: Sequence[exp.Query]) -> exp.Query:
    """Return one query for the rows of some, of which there is at least one."""
    return queries[0] if len(queries) == 1 else exp.union(*queries, distinct=False)
