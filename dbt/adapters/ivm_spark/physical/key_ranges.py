"""The ranges of a change's keys: what to ask for them, and what the answers leave of a column.

The keys of a refresh often lie close together (the newest orders, the corrections of one day), in a
few places. The widest gaps between neighbouring keys tell the places apart. A few hundred keys that
lie apart are named one by one: a Parquet file that is laid out by the key is then read only at the
pages that can have one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import union_all
from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    At,
    Item,
    Node,
    Project,
    Scan,
)
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain

RANGES = 6
"""The most ranges of one key. Each is a predicate on every file's statistics, for which Delta
compiles code: 25 ms for every scan."""
WORTH = 32
"""A gap separates two ranges if it is at least 1/`WORTH` of what is left to read. What is left
excludes all wider gaps, because the newest keys are often far from the old ones that change
with them."""
KEYS = 1_000
"""The most keys that are named one by one."""
NAMED = 250
"""The most of these keys in one IN. Spark pushes each of them down to the Parquet reader, unless
`spark.sql.parquet.pushdown.inFilterThreshold` is less, as a condition nested as deep as there
are keys: some 2,000 overflow a task's stack."""
BESIDE = 6
"""The most ranges of close keys beside the named ones."""
SAVED = 4
"""Naming keys has to save more than this share of what is left to read: one in `SAVED`."""
_PAIR = 2
"""A piece of at most so many keys is named: its least and its greatest key are all it has."""
_KEY = "__ivm_key"
_PLACE = "double"
"""The type of a key's place. Keys of more than 53 bits may share a place. They are then in one
piece, and the keys themselves, not their places, are its ends."""
_DISTANCE = "decimal(20, 0)"
_NUMBERS = {
    "tinyint": "",
    "smallint": "",
    "int": "",
    "bigint": "",
    "date": "unix_date",
    "timestamp": "unix_micros",
}


@dataclass(frozen=True)
class Question:
    """Which keys a materialized relation has.

    Attributes:
        among: the relation.
        key: its column.
        type_name: of the column, in Spark's words.
    """

    among: Node
    key: str
    type_name: str

    @property
    def needs(self) -> frozenset[str]:
        """Return the materialized relations that must exist before the question is asked."""
        scans = (n for n in nodes(self.among) if isinstance(n, Scan))
        return frozenset(s.relation for s in scans if s.at is At.TEMPORARY)


Ends = tuple[str, str]
"""The least and the greatest key of a range, as text that Spark casts back."""


@dataclass(frozen=True)
class Answer:
    """The keys of a relation, as ranges.

    Attributes:
        ranges: of all keys, in order.
        nulls: some rows have no key.
        keys: the keys that lie apart, named only if that says much more than `ranges`.
        dense: the ranges of all other keys, if `keys` names some.
    """

    ranges: tuple[Ends, ...]
    nulls: bool
    keys: tuple[str, ...] = ()
    dense: tuple[Ends, ...] = ()

    @property
    def finest(self) -> tuple[Ends, ...]:
        """Return the narrowest ranges that are known to have all keys."""
        return (*self.dense, *((key, key) for key in self.keys)) if self.keys else self.ranges


Answers = Mapping[Question, Answer]


def in_ranges(value: exp.Expr, question: Question, answer: Answer) -> exp.Expr | None:
    """Return the condition that a value can be one of the keys, None if there are no keys."""
    kept: list[exp.Expr] = [_between(value, question, ends) for ends in answer.ranges]
    if answer.keys:
        finer: list[exp.Expr] = [_between(value, question, ends) for ends in answer.dense]
        keys = [_read(key, question.type_name) for key in answer.keys]
        some = (keys[n : n + NAMED] for n in range(0, len(keys), NAMED))
        finer.extend(exp.In(this=value.copy(), expressions=named) for named in some)
        kept = [exp.and_(exp.or_(*kept), exp.or_(*finer))]
    if answer.nulls:
        kept.append(exp.Is(this=value.copy(), expression=exp.null()))
    return exp.or_(*kept) if kept else None


def questions_sql(asked: Sequence[Question]) -> exp.Query:
    """Return one query for several questions, with a row for each piece of the keys, in order.

    Its columns are `number` (of the question), `piece`, `low`, `high`, `keys`, `width` and `gap`.
    The last five describe the piece: its least and greatest key, the number of its keys, the
    distance of its ends, and the distance from the piece before it. A piece without low and high
    stands for NULL keys.
    """
    queries = [_question_sql(question, number) for number, question in enumerate(asked)]
    return union_all(queries)


def answered(
    asked: Sequence[Question], rows: Iterable[Mapping[str, Any]]
) -> dict[Question, Answer]:
    """Return the answers in the rows of `questions_sql`.

    A question without rows has an answer without keys.
    """
    found: dict[int, list[Piece]] = {n: [] for n in range(len(asked))}
    nulls = set()
    for row in rows:
        if row["low"] is None:
            nulls.add(int(row["number"]))
        else:
            place, keys, width, gap = (int(row[n]) for n in ("piece", "keys", "width", "gap"))
            piece = Piece(place, str(row["low"]), str(row["high"]), keys, width, gap)
            found[int(row["number"])].append(piece)
    return {q: answer_of(sorted(found[n]), n in nulls) for n, q in enumerate(asked)}


@dataclass(frozen=True, order=True)
class Piece:
    """Some keys without a wide gap between them.

    Attributes:
        place: of the piece among all, in order.
        low: the least key, as text that Spark casts back.
        high: the greatest key, likewise.
        keys: how many different keys it has.
        width: the distance of its ends.
        gap: the distance from the piece before it, 0 for the first one.
    """

    place: int
    low: str
    high: str
    keys: int
    width: int
    gap: int


def answer_of(pieces: Sequence[Piece], nulls: bool) -> Answer:
    """Return the keys in some pieces, which are in order, as ranges and names."""
    widest = sorted(range(1, len(pieces)), key=lambda n: -pieces[n].gap)
    left = sum(p.width for p in pieces) + sum(pieces[n].gap for n in widest)
    parted = []
    for n in widest[: RANGES - 1]:
        if pieces[n].gap * WORTH < left:
            break
        parted.append(n)
        left -= pieces[n].gap
    ranges = tuple((p.low, p.high) for p in _joined(pieces, parted))
    return Answer(ranges, nulls, *_named(pieces, widest, left))


def _named(
    pieces: Sequence[Piece], widest: Sequence[int], left: int
) -> tuple[tuple[str, ...], tuple[Ends, ...]]:
    """Return as many keys as may be named, and the ranges of all others.

    It returns nothing if naming keys saves too little of what is left to read.
    """
    most = len(pieces)
    while most > 1:
        parts = _joined(pieces, widest[: most - 1])
        dense = [p for p in parts if p.keys > _PAIR]
        keys = tuple(k for p in parts if p.keys <= _PAIR for k in dict.fromkeys((p.low, p.high)))
        if len(dense) <= BESIDE and len(keys) <= KEYS:
            saves = SAVED * sum(p.width for p in dense) < (SAVED - 1) * left
            return (keys, tuple((p.low, p.high) for p in dense)) if saves else ((), ())
        most = most * 9 // 10
    return (), ()


def _joined(pieces: Sequence[Piece], parted: Sequence[int]) -> list[Piece]:
    """Join neighbouring pieces, except at the places where they are separated."""
    if not pieces:
        return []
    starts = [0, *sorted(parted)]
    joined = []
    for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True):
        first, *others = pieces[start:end]
        keys = first.keys + sum(p.keys for p in others)
        width = first.width + sum(p.gap + p.width for p in others)
        joined.append(replace(first, high=pieces[end - 1].high, keys=keys, width=width))
    return joined


def keys_of(question: Question) -> tuple[exp.Subquery, exp.Column]:
    """Return the rows of a question's relation, and their one column, which has the keys."""
    rows = render(Project(question.among, (Item(_KEY, column(question.key)),)), bind_plain)
    return rows.subquery("k"), exp.column(_KEY, quoted=True)


def _question_sql(question: Question, number: int) -> exp.Query:
    keys, key = keys_of(question)
    place = _place(key, question.type_name)
    # Without distances all keys are one piece, and none is named.
    pieces = exp.select(key, *(exp.alias_(_number(0), name) for name in ("piece", "place", "gap")))
    pieces = pieces.from_(keys)
    number_of: exp.Expr = _number(_PAIR + 1)
    if place is not None:
        apart = exp.Sub(this=exp.column("place"), expression=_over("lag", exp.column("place")))
        # Deduplicate first, on two processors: all that follows runs on one.
        once = exp.select(key).from_(keys).distinct()
        places = exp.select(key, exp.alias_(place, "place")).from_(once.subquery("o"))
        gaps = exp.select(key, exp.column("place"), exp.alias_(apart, "gap"))
        # Gaps of one width separate all their keys or none: evenly spaced keys are one piece.
        wider = exp.alias_(_over("count", exp.column("gap"), by="gap", desc=True), "wider")
        ranks = exp.select(key, exp.column("place"), exp.column("gap"), wider)
        parted = exp.and_(
            exp.LT(this=exp.column("wider"), expression=_number(2 * KEYS)),
            exp.GT(this=exp.column("gap"), expression=_number(1)),
        )
        begun = exp.If(this=parted, true=_number(1), false=_number(0))
        before = exp.If(this=parted, true=exp.column("gap"), false=_number(0))
        number_of = exp.Count(this=exp.Literal.number(1))
        pieces = exp.select(
            key,
            exp.alias_(_over("sum", begun), "piece"),
            exp.column("place"),
            exp.alias_(before, "gap"),
        ).from_(ranks.from_(gaps.from_(places.subquery("l")).subquery("g")).subquery("m"))
    ends = [exp.Min(this=key), exp.Max(this=key)]
    low, high = (_sent(end, question.type_name) for end in ends)
    width = exp.Sub(this=_of("max", "place"), expression=_of("min", "place"))
    return (
        exp.select(
            exp.alias_(_number(number), "number"),
            exp.column("piece"),
            exp.alias_(low, "low"),
            exp.alias_(high, "high"),
            exp.alias_(number_of, "keys"),
            exp.alias_(exp.cast(width, _DISTANCE), "width"),
            exp.alias_(exp.cast(_of("max", "gap"), _DISTANCE), "gap"),
        )
        .from_(pieces.subquery("p"))
        .group_by(exp.column("piece"), exp.Is(this=key.copy(), expression=exp.null()))
    )


def _sent(value: exp.Expr, type_name: str) -> exp.Expr:
    """Return a value as text that `_between` reads back.

    A timestamp is sent as a number: in the hour that clocks repeat, two moments have one local
    time.
    """
    if type_name == "timestamp":
        value = exp.Anonymous(this=_NUMBERS[type_name], expressions=[value.copy()])
    return exp.cast(value.copy(), "string")


def _between(value: exp.Expr, question: Question, ends: Ends) -> exp.Expr:
    least, most = (_read(end, question.type_name) for end in ends)
    return exp.Between(this=value.copy(), low=least, high=most)


def _read(text: str, type_name: str) -> exp.Expr:
    if type_name in ("int", "bigint") and text.isdigit():
        return exp.Literal.number(text)
    if type_name == "timestamp":
        number = exp.cast(exp.Literal.string(text), "bigint")
        return exp.Anonymous(this="timestamp_micros", expressions=[number])
    return cast_as(exp.Literal.string(text), type_name)


def number_of(key: exp.Expr, type_name: str) -> exp.Expr | None:
    """Return a key as a whole number in the keys' order, None for types without distances."""
    if type_name not in _NUMBERS:
        return None
    name = _NUMBERS[type_name]
    return exp.Anonymous(this=name, expressions=[key.copy()]) if name else key.copy()


def _place(key: exp.Expr, type_name: str) -> exp.Expr | None:
    number = number_of(key, type_name)
    return None if number is None else exp.cast(number, _PLACE)


def _number(number: int) -> exp.Expr:
    return exp.Literal.number(number)


def _of(name: str, column_name: str) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[exp.column(column_name)])


def _over(name: str, argument: exp.Expr, *, by: str = "place", desc: bool = False) -> exp.Expr:
    ordered = exp.Ordered(this=exp.column(by), desc=desc)
    if desc:
        ordered.set("nulls_first", False)
    return exp.Window(
        this=exp.Anonymous(this=name, expressions=[argument.copy()]),
        order=exp.Order(expressions=[ordered]),
    )
