"""The condition `frozen_where`: which rows of a view no refresh touches."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.clock import is_clock_text, reads_clock
from dbt.adapters.ivm_spark.algebra.columns import column, columns_in, over
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.expressions import aggregates_in, check
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError

_BELOW, _ABOVE = (exp.LT, exp.LTE), (exp.GT, exp.GTE)


def frozen_condition(text: str, stored: Mapping[str, str], dialect: str = "ivmspark") -> exp.Expr:
    """Return a `frozen_where` over the columns of the state.

    Args:
        text: the config.
        stored: the state's column for each column of the view that may be named, the names in lower
            case.
        dialect: sqlglot's dialect of the session.

    Raises ConfigError if the text is not such a condition.
    """
    condition = _read(text, dialect)
    columns = list(columns_in(condition))
    if not columns:
        raise ConfigError(f"frozen_where is {text!r}, which names no column")
    unknown = [c for c in columns if c.table or c.name.lower() not in stored]
    if unknown:
        raise ConfigError(
            f"frozen_where names {to_sql(unknown[0])}, but it must name columns of the view by "
            "which its rows are stored: keys of its GROUP BY, or any column if it has none. They "
            f"are: {', '.join(stored) or 'there is none'}"
        )
    return over(condition, {c.name: column(stored[c.name.lower()]) for c in columns})


def _read(text: str, dialect: str) -> exp.Expr:
    """Return a condition as written. Raises ConfigError if it isn't one that never changes."""
    try:
        condition = exp.condition(text, dialect=dialect)
    except SqlglotError as error:
        first_line = str(error).splitlines()[0]
        raise ConfigError(f"frozen_where is {text!r}, which can't be read: {first_line}") from error
    try:
        check(condition)
    except NotMaintained as error:
        raise ConfigError(
            f"frozen_where is {text!r}, which can't be followed: {error.reason}"
        ) from error
    if aggregates_in(condition):
        raise ConfigError(f"frozen_where is {text!r}; it must be a condition on one row")
    literals = condition.find_all(exp.Literal)
    if reads_clock(condition) or any(e.is_string and is_clock_text(e.name) for e in literals):
        raise ConfigError(
            f"frozen_where is {text!r}, which depends on the time of the run. Write a fixed time, "
            "and move it on when you like"
        )
    return condition


def covering(now: exp.Expr, before: exp.Expr, types: Mapping[str, str]) -> exp.Expr | None:
    """Return a condition without columns that holds only if every row that was frozen still is.

    None if the two are too different to tell. A condition that has become weaker has fewer
    conjuncts, or other constants in its comparisons.

    Args:
        now: the condition.
        before: the one that it replaces.
        types: Spark's types of the columns.
    """
    wanted, given = conjuncts(now), conjuncts(before)
    found: list[exp.Expr] = [exp.true()]
    for one, other in zip(wanted, given, strict=False):
        if one == other:
            continue
        bounds = _bounds(one, other, types)
        if bounds is None:
            return None
        found.append(exp.LTE(this=bounds[0], expression=bounds[1]))
    return exp.and_(*found) if len(wanted) <= len(given) else None


def _bounds(
    now: exp.Expr, before: exp.Expr, types: Mapping[str, str]
) -> tuple[exp.Expr, exp.Expr] | None:
    """Return two constants; if the first is not larger, the one condition implies the other."""
    kinds = next((k for k in (_BELOW, _ABOVE) if isinstance(now, k) and isinstance(before, k)), ())
    strict = isinstance(now, (exp.LT, exp.GT)) and type(now) is not type(before)
    if not kinds or strict or now.this != before.this or not isinstance(now.this, exp.Column):
        return None
    constants = [_constant(side.expression, types[now.this.name]) for side in (before, now)]
    if None in constants or len({_kind(c) for c in constants if c is not None}) > 1:
        return None
    first, last = constants if kinds is _BELOW else constants[::-1]
    assert first is not None and last is not None
    return first, last


def _kind(constant: exp.Expr) -> str:
    """Return what a constant is, so that two of a kind are compared exactly."""
    if isinstance(constant, exp.Cast):
        return to_sql(constant.to)
    return "text" if constant.is_string else "integer"


def _constant(value: exp.Expr, type_name: str) -> exp.Expr | None:
    """Return a constant in a form whose order is that of the comparison with such a column."""
    literal = value.this if isinstance(value, exp.Cast) else value
    if not isinstance(literal, exp.Literal):
        return None
    if isinstance(value, exp.Cast) and value.to.is_type(*exp.DataType.TEXT_TYPES):
        return None  # the column may not be compared as text
    if not (literal.is_string or literal.name.isdigit()):
        return None  # two kinds of numbers would be compared as floats
    if value is not literal or not literal.is_string or type_name == "string":
        return value.copy()
    if type_name in ("date", "timestamp", "timestamp_ntz"):
        return exp.cast(value.copy(), type_name, dialect="spark")
    return None
