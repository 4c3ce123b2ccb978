"""The clock in a query: calls that return the current time, and texts that Spark reads as it.

`current_date()` and `timestamp 'now'` are calls of the clock. A query that contains one is
maintained: a refresh reads the clock once, takes its value for a constant, and records it. The
largest constant around a call counts, so `date_trunc('month', current_date())` changes once a
month.

A text such as 'yesterday' is the current time only if Spark casts it to a date or a timestamp.
`d > 'yesterday'` contains such a cast implicitly; `status = 'today'` contains none. Only Spark can
say whether it casts a text (`dbt.adapters.ivm_spark.plan.clock`). A text that is only a time, such
as '10:00', is a time of the current day once it is cast to a timestamp. Source: Spark's
`SpecialDatetimeValues`, which looks at every cast of a constant string, `stringToTimestamp` of its
`SparkDateTimeUtils`, and `ComputeCurrentTime`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import tree_expressions, with_expressions
from dbt.adapters.ivm_spark.algebra.functions import AGGREGATES, GENERATORS, WINDOWS
from dbt.adapters.ivm_spark.algebra.moved import Moved
from dbt.adapters.ivm_spark.algebra.tree import Node

_SPECIAL = re.compile(r"(now|today|tomorrow|yesterday)(?![a-z])", re.IGNORECASE)
_TIME_OF_DAY = re.compile(r"T\d{1,2}(?!\w)|T?\d{1,2}:\d")
_FORMATTED = frozenset(
    "to_date to_timestamp to_unix_timestamp try_to_timestamp unix_timestamp".split()
)
"""Functions that read a text by a format, if they are given one."""
_DATES = frozenset({"current_date", "curdate"})
_TIMESTAMPS = frozenset({"current_timestamp", "now"})
_LOCAL = "localtimestamp"
_SECONDS = "unix_timestamp"
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_RAISE = frozenset({"raise_error", "assert_true"})
_BLANK = "".join(map(chr, range(33)))
"""The characters that Java's trim() removes."""


def is_clock_text(text: str) -> bool:
    """Return whether a cast to a date or timestamp reads a text relative to the current time."""
    return is_clock_word(text) or is_time_of_day(text)


def is_clock_word(text: str) -> bool:
    """Return whether a text is a word for now, or for a day beside today."""
    return _SPECIAL.match(text.strip(_BLANK)) is not None


def is_time_of_day(text: str) -> bool:
    """Return whether a cast to a timestamp reads a text as a time of the current day."""
    return _TIME_OF_DAY.match(text.strip(_BLANK)) is not None


def clock_texts(expressions: Iterator[exp.Expr]) -> frozenset[str]:
    """Return the string literals in expressions for which `is_clock_text` holds.

    A literal that is cast by name, such as `date 'today'`, is a call of the clock and does not
    count.
    """
    literals = (e for expression in expressions for e in expression.find_all(exp.Literal))
    texts = (e for e in literals if e.is_string and is_clock_text(e.name) and not _has_format(e))
    return frozenset(e.name for e in texts if e.parent is None or not calls_clock(e.parent))


def _has_format(text: exp.Literal) -> bool:
    """Return whether a call reads a text by a format, which no word and no time of day has."""
    call = text.parent
    if not isinstance(call, exp.Anonymous) or call.name.lower() not in _FORMATTED:
        return False
    return len(call.expressions) == 2 and call.expressions[0] is text


def computed_texts(expressions: Iterator[exp.Expr]) -> list[exp.Expr]:
    """Return the constant expressions that contain a string literal and may compute such a text."""
    found: list[exp.Expr] = []
    for expression in expressions:
        for part in expression.walk():
            if _is_computed_text(part) and part not in found:
                found.append(part)
    return found


def calls_clock(node: exp.Expr) -> bool:
    """Return whether a node itself is a call of the clock that a refresh can pin."""
    if isinstance(node, (exp.CurrentDate, exp.CurrentTimestamp)):
        return not node.args.get("this")
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        known = name in _DATES | _TIMESTAMPS or name in (_LOCAL, _SECONDS)
        return known and not node.expressions
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        return node.to.is_type(*exp.DataType.TEMPORAL_TYPES) and _word(node.this) is not None
    return False


def reads_clock(expression: exp.Expr) -> bool:
    """Return whether an expression contains a call of the clock."""
    return any(map(calls_clock, expression.walk()))


def clock_constants(root: Node) -> tuple[exp.Expr, ...]:
    """Return the largest constant expressions of a tree that call the clock, each once."""
    found: dict[exp.Expr, None] = {}
    for expression in tree_expressions(root):
        if reads_clock(expression):
            found |= dict.fromkeys(_constants(expression))
    return tuple(found)


def clock_calls(expression: exp.Expr) -> list[exp.Expr]:
    """Return the calls of the clock in an expression."""
    return [node for node in expression.walk() if calls_clock(node)]


def at_time(expression: exp.Expr, microseconds: int) -> exp.Expr:
    """Return an expression with its calls of the clock at a time, in microseconds since 1970."""

    def pinned(node: exp.Expr) -> exp.Expr:
        return _pinned(node, microseconds) if calls_clock(node) else node

    return expression.transform(pinned)


def with_constants(
    root: Node, values: Mapping[exp.Expr, exp.Expr], old: Mapping[exp.Expr, exp.Expr] | None = None
) -> Node:
    """Return a tree with values in place of its constants of the clock.

    Args:
        root: the tree.
        values: the values now.
        old: the values in the watermark. Where one differs, it becomes a `Moved`.
    """
    before = old or {}

    def valued(node: exp.Expr) -> exp.Expr:
        value = values.get(node)
        if value is None:
            return node
        past = before.get(node, value)
        return value.copy() if past == value else Moved(this=value.copy(), old=past.copy())

    def changed(expression: exp.Expr) -> exp.Expr:
        return expression.transform(valued) if reads_clock(expression) else expression

    return with_expressions(root, changed)


def _is_computed_text(part: exp.Expr) -> bool:
    computes = isinstance(part, (exp.Func, exp.Binary)) and not isinstance(part, exp.Predicate)
    if (
        not computes
        or not _stands_alone(part)
        or part.find(exp.Column, exp.Query, exp.Lambda, exp.Star) is not None
    ):
        return False
    if isinstance(part, exp.Cast) and isinstance(part.this, exp.Literal):
        return False
    if isinstance(part, exp.Kwarg) or isinstance(part.parent, exp.Window):
        return False  # no expression by itself
    names = {call.name.lower() for call in part.find_all(exp.Anonymous)}
    if names & (_RAISE | WINDOWS) or (
        isinstance(part, exp.Anonymous) and part.name.lower() in GENERATORS
    ):
        return False  # an error, rows, or a value of many rows
    return any(e.is_string for e in part.find_all(exp.Literal))


def _word(text: exp.Literal) -> str | None:
    """Return the special word that a text is, None if it is another text or has a time zone."""
    word = text.name.strip(_BLANK).lower()
    return word if word == "now" or word in _DAYS else None


def _pinned(call: exp.Expr, microseconds: int) -> exp.Expr:
    number = exp.Literal.number(microseconds)
    now: exp.Expr = exp.Anonymous(this="timestamp_micros", expressions=[number])
    if isinstance(call, exp.Cast):
        return _pinned_word(_word(call.this) or "now", call.to, now)
    name = call.name.lower() if isinstance(call, exp.Anonymous) else ""
    if isinstance(call, exp.CurrentDate) or name in _DATES:
        return exp.cast(now, "date")
    if name == _LOCAL:
        return exp.cast(now, "timestamp_ntz", dialect="spark")
    if name == _SECONDS:
        return exp.Anonymous(this=_SECONDS, expressions=[now])
    return now


def _pinned_word(word: str, to: exp.DataType, now: exp.Expr) -> exp.Expr:
    if word == "now":
        return exp.Cast(this=now, to=to.copy())
    day = exp.cast(now, "date")
    moved = exp.Anonymous(this="date_add", expressions=[day, exp.Literal.number(_DAYS[word])])
    return exp.Cast(this=moved, to=to.copy())


def _constants(expression: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the largest constants in an expression that call the clock, outermost first."""
    if not reads_clock(expression):
        return
    if _is_constant(expression):
        yield expression
        return
    for part in expression.iter_expressions():
        yield from _constants(part)


def _is_constant(part: exp.Expr) -> bool:
    """Return whether a part is an expression by itself, and a function of the clock alone."""
    if calls_clock(part):
        return True
    kinds = (exp.Func, exp.Binary, exp.Unary, exp.Between, exp.Case)
    if not isinstance(part, kinds) or not _stands_alone(part):
        return False
    others = (exp.Column, exp.Query, exp.Lambda, exp.Star, exp.Window, exp.AnonymousAggFunc)
    if part.find(*others) is not None:
        return False
    return not any(_is_aggregate(node) for node in part.walk())


def _stands_alone(part: exp.Expr) -> bool:
    """Return whether a part is an expression by itself.

    A branch of a CASE is none, nor what names a parameter of a lambda around it.
    """
    branch = isinstance(part, exp.If) and isinstance(part.parent, exp.Case)
    return not branch and not _names_parameter(part)


def _names_parameter(part: exp.Expr) -> bool:
    """Return whether a part of a lambda's body names a parameter, which is no column."""
    names: set[str] = set()
    around = part.find_ancestor(exp.Lambda)
    while around is not None:
        names.update(parameter.name.lower() for parameter in around.expressions)
        around = around.find_ancestor(exp.Lambda)
    return bool(names) and any(i.name.lower() in names for i in part.find_all(exp.Identifier))


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Anonymous, exp.AggFunc)) and (
        isinstance(node, exp.AggFunc) or node.name.lower() in AGGREGATES | GENERATORS
    )
