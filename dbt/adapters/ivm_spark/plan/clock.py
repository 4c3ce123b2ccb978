"""Reads the clock for a query: the values of its constants that are the current time.

It also checks whether a query reads one of its texts as the current time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import sqlglot
from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import (
    at_time,
    clock_calls,
    clock_texts,
    computed_texts,
    is_clock_word,
    is_time_of_day,
    reads_clock,
)
from dbt.adapters.ivm_spark.algebra.columns import tree_expressions
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.moved import Moved, moves
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.delta.moved import unfollowed
from dbt.adapters.ivm_spark.plan.spark_plans import plans_are_equivalent
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.layout import Layout

_STAND_IN = "~{}~"
"""The end of a text that takes another one's place; it is no time, and has the other's number."""
_TYPES = ("date", "timestamp", "timestamp_ntz", "string", "boolean", "float", "double", "decimal")
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_TIMESTAMP = "timestamp"
_BARE = re.compile(r"\(.*\)$")
"""The parameters of a type, such as those of a decimal."""


@dataclass(frozen=True)
class Clock:
    """The clock as a query reads it.

    Attributes:
        at: the time, in microseconds since 1970; 0 if the query reads no clock.
        values: the value of each of the query's constants, a literal.
        moved: a value differs from the one in the watermark.
        unknown: a constant of which the watermark has no value, as SQL; empty if there is none.
    """

    at: int = 0
    values: Mapping[exp.Expr, exp.Expr] = field(default_factory=dict)
    moved: bool = False
    unknown: str = ""

    @property
    def recorded(self) -> dict[str, str]:
        """Return the values as a watermark records them: SQL by SQL."""
        return {to_sql(constant): to_sql(value) for constant, value in self.values.items()}


def read_clock(
    query: Query, constants: Iterable[exp.Expr], at: int, before: Mapping[str, str] | None
) -> tuple[Clock, dict[exp.Expr, exp.Expr]]:
    """Return the clock of a query at a time, and the values in the watermark that have moved.

    A constant whose type has no literal, such as an interval, is replaced by the calls in it. Spark
    computes constants without a job.

    Args:
        query: sends a statement.
        constants: the constants that are computed from the clock.
        at: the time, in microseconds since 1970.
        before: the recorded values, None without a watermark of the query.
    """
    values: dict[exp.Expr, exp.Expr] = {}
    calls: dict[exp.Expr, None] = {}
    wanted = list(constants)
    for constant, value in zip(wanted, _values(query, wanted, at), strict=True):
        if value is None:
            calls |= dict.fromkeys(clock_calls(constant))
        else:
            values[constant] = value
    left = [call for call in calls if call not in values]
    for call, value in zip(left, _values(query, left, at), strict=True):
        if value is None:
            raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, to_sql(call))
        values[call] = value
    if before is None:
        return Clock(at, values), {}
    texts = {constant: before.get(to_sql(constant)) for constant in values}
    changed = {c: texts[c] for c, value in values.items() if texts[c] != to_sql(value)}
    old: dict[exp.Expr, exp.Expr] = {
        constant: sqlglot.parse_one(text, dialect=IvmSpark)
        for constant, text in changed.items()
        if text is not None
    }
    unknown = next((to_sql(c) for c in changed if texts[c] is None), "")
    return Clock(at, values, moved=bool(changed), unknown=unknown), old


def clock_reason(layout: Layout | None, clock: Clock) -> Reason | None:
    """Return why a state can't follow a clock that has moved by a change, None if it can.

    The old value must be known. The stored rows can, if the clock decides which rows there are. The
    view over the state can't: its text would have to change in the same moment as the state.
    """
    if layout is None or clock.unknown:
        return Reason(ReasonCode.CLOCK_MOVED, clock.unknown)
    outside = [
        *(key.expression for key in layout.keys),
        *(accumulator.argument for accumulator in layout.accumulators),
        *tree_expressions(layout.top),
    ]
    moved = next(filter(moves, outside), None) or unfollowed(layout.input)
    if moved is None:
        return None
    constant = moved.find(Moved)
    return Reason(ReasonCode.CLOCK_MOVED, to_sql(moved if constant is None else constant))


def _values(query: Query, constants: list[exp.Expr], at: int) -> list[exp.Expr | None]:
    """Return the values of constants as literals, None for one of a type without literals."""
    if not constants:
        return []
    pinned = [at_time(constant, at) for constant in constants]
    try:
        kinds = _row(query, [_call("typeof", e) for e in pinned])
        exact = [kind == _TIMESTAMP for kind in kinds]
        texts = _row(
            query,
            [
                _call("unix_micros", e) if stamp else exp.cast(e.copy(), "string")
                for e, stamp in zip(pinned, exact, strict=True)
            ],
        )
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        if all(clock_calls(e) == [e] for e in constants):
            raise
        return [None] * len(constants)
    return [_literal(str(kind), text) for kind, text in zip(kinds, texts, strict=True)]


def _row(query: Query, expressions: list[exp.Expr]) -> list[object]:
    items = [exp.alias_(e, f"c{place}") for place, e in enumerate(expressions)]
    return list(query(to_sql(exp.select(*items)))[0].values())


def _call(name: str, argument: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[argument.copy()])


def _literal(kind: str, text: object) -> exp.Expr | None:
    """Return a value as SQL. The text of a timestamp is its number of microseconds since 1970."""
    if _BARE.sub("", kind) not in (*_TYPES, *_INTEGERS):
        return None
    if text is None:
        return cast_as(exp.null(), kind)
    if kind == _TIMESTAMP:
        return _call("timestamp_micros", exp.Literal.number(str(text)))
    return cast_as(exp.Literal.string(str(text)), kind)


def check_clock(query: Query, written: Node) -> None:
    """Raise NotMaintained (EXPRESSION_NOT_DETERMINISTIC) unless every text of a tree stays a text.

    The function replaces a text such as 'today' with one that means nothing. If the text is never
    cast to a date or a timestamp, Spark plans the query as before except for the text. Spark is
    asked only if a query has such a text or computes one. Raises what `query` raises.
    """
    computed = _computed(query, computed_texts(tree_expressions(written)))
    for text in computed.values():
        if is_clock_word(text):
            raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, f"'{text}'")
    times = {constant: text for constant, text in computed.items() if is_time_of_day(text)}
    texts = clock_texts(tree_expressions(written)) | set(times.values())
    if not texts:
        return
    tree = render(written, bind_plain)
    stand_ins = {
        text: text.rstrip()[:-1] + _STAND_IN.format(number)
        for number, text in enumerate(sorted(texts))
    }

    def replaced(node: exp.Expr) -> exp.Expr:
        text = node.name if isinstance(node, exp.Literal) and node.is_string else times.get(node)
        return exp.Literal.string(stand_ins[text]) if text in stand_ins else node

    def respelled(plan: str) -> str:
        for text, stand_in in stand_ins.items():
            plan = plan.replace(stand_in, text)
        return plan

    plain = to_sql(tree)
    other = to_sql(tree.transform(replaced))
    certain = not any(stand_in in plain for stand_in in stand_ins.values())
    clock = any(map(reads_clock, tree_expressions(written)))
    if not certain or not plans_are_equivalent(query, plain, other, respelled, clock):
        detail = ", ".join(f"'{text}'" for text in sorted(texts))
        raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, detail)


def _computed(query: Query, constants: list[exp.Expr]) -> dict[exp.Expr, str]:
    """Return the texts among the values of constant expressions.

    Spark computes them without a job.
    """
    if not constants:
        return {}
    items = [exp.alias_(e.copy(), f"c{place}") for place, e in enumerate(constants)]
    try:
        row = query(to_sql(exp.select(*items)))[0]
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        detail = f"a constant that can't be computed by itself: {to_sql(constants[0])}"
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, detail) from error
    values = zip(constants, row.values(), strict=True)
    return {constant: value for constant, value in values if isinstance(value, str)}
