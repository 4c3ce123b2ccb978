"""Read only the parts of a big partner that can have the change's keys: runtime filters.

The keys of a refresh often lie close together in a few places: the newest orders, one day's
corrections. A query asks for these places once the small side is materialized. Its answer becomes
literals in the SQL, by which Delta skips files and Parquet skips row groups.

    Δ ⋈ orders   →   Δ ⋈ filter(orders, key BETWEEN 1 AND 9 OR key BETWEEN 700 AND 720)

The widest gaps between neighbouring keys separate the ranges. Some hundred keys that lie apart are
named one by one. In a Parquet file that is sorted by the keys, Spark then reads only the pages that
can have one of them.

Applies to a partner and a small side of a join if

1. the small side is about as small as the change (`is_delta_sized`), and the partner is not;
2. the join does not output the partner's rows without a match: it is inner or semi, or it is outer
   or anti and preserves the small side;
3. they are joined by columns that are sources' own, of one type on both sides, which has an order;
4. the table of the partner's column has at least `BIG_ROWS` rows;
5. when the SQL is written, the small side reads only materialized relations, and has no runtime
   filter of its own (`question_of`).

The rows of the join stay the same. A partner stays whole until the answer is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.predicates import equal_columns
from dbt.adapters.ivm_spark.algebra.traversal import children, walk, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    At,
    Empty,
    Filter,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    RuntimeFilter,
    Scan,
    SemiJoin,
)
from dbt.adapters.ivm_spark.algebra.types import ORDERED
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized
from dbt.adapters.ivm_spark.analysis.provenance import Provenance, provenance
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical.common_subplans import reads_sources
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
        scans = (n for n in walk(self.among) if isinstance(n, Scan))
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


Answers = Mapping[Question, Answer]


def questions(node: Node) -> list[Question]:
    """Return the questions of a tree over materialized relations, in the tree's order."""
    asked = (question_of(n) for n in walk(node) if isinstance(n, RuntimeFilter))
    return list(dict.fromkeys(q for q in asked if q is not None))


def open_questions(
    asks: Sequence[Sequence[Question]], number: int, kept: Set[str], known: Answers
) -> list[Question]:
    """Return what to ask before statement `number`.

    If none of this statement's own questions is open and can be asked now, it returns nothing.
    Otherwise it adds the questions of later statements that can be asked now, so that one query
    answers all.

    Args:
        asks: the questions of each statement.
        number: of the statement that is next.
        kept: the names of the relations that are materialized by now.
        known: the answers so far.
    """
    every = [list(dict.fromkeys(q for q in asked if q not in known)) for asked in asks]
    if not any(q.needs <= kept for q in every[number]):
        return []
    return list(dict.fromkeys(q for asked in every for q in asked if q.needs <= kept))


def narrowed(node: Node, answers: Answers) -> Node:
    """Return a tree with each `RuntimeFilter` replaced by a filter.

    A `RuntimeFilter` without an answer is dropped.
    """
    below = tuple(narrowed(child, answers) for child in children(node))
    if not isinstance(node, RuntimeFilter):
        return with_children(node, below)
    question = question_of(node)
    answer = answers.get(question) if question is not None else None
    if answer is None:
        return below[0]
    assert question is not None
    found = in_ranges(
        column(node.column), question, replace(answer, nulls=answer.nulls and node.null_safe)
    )
    return Filter(below[0], found) if found is not None else Empty(below[0])


def narrowing(
    met: Sequence[RuntimeFilter], answers: Answers, stored: Callable[[str], exp.Expr]
) -> list[exp.Expr]:
    """Return conditions, in literals, that hold for all rows that can match the change.

    It returns none unless all questions are answered.

    Args:
        met: the runtime filters of the rows.
        answers: to the questions so far.
        stored: returns a column of these rows by its name.
    """
    asked = [(near.column, question_of(near)) for near in met]
    if not all(question in answers for _, question in asked):
        return []
    found = (in_ranges(stored(name), q, answers[q]) for name, q in asked if q is not None)
    return [exp.paren(condition) for condition in found if condition is not None]


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
    return queries[0] if len(queries) == 1 else exp.union(*queries, distinct=False)


def answered(
    asked: Sequence[Question], rows: Iterable[Mapping[str, Any]]
) -> dict[Question, Answer]:
    """Return the answers in the rows of `questions_sql`.

    A question without rows has an answer without keys.
    """
    found: dict[int, list[_Piece]] = {n: [] for n in range(len(asked))}
    nulls = set()
    for row in rows:
        if row["low"] is None:
            nulls.add(int(row["number"]))
        else:
            place, keys, width, gap = (int(row[n]) for n in ("piece", "keys", "width", "gap"))
            piece = _Piece(place, str(row["low"]), str(row["high"]), keys, width, gap)
            found[int(row["number"])].append(piece)
    return {q: _answer(sorted(found[n]), n in nulls) for n, q in enumerate(asked)}


@dataclass(frozen=True, order=True)
class _Piece:
    place: int
    low: str
    high: str
    keys: int
    width: int
    gap: int


def _answer(pieces: Sequence[_Piece], nulls: bool) -> Answer:
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
    pieces: Sequence[_Piece], widest: Sequence[int], left: int
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


def _joined(pieces: Sequence[_Piece], parted: Sequence[int]) -> list[_Piece]:
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


def _question_sql(question: Question, number: int) -> exp.Query:
    item = Item(_KEY, column(question.key))
    keys = render(Project(question.among, (item,)), bind_plain)
    key = exp.column(_KEY, quoted=True)
    place = _place(key, question.type_name)
    # Without distances all keys are one piece, and none is named.
    pieces = exp.select(key, *(exp.alias_(_number(0), name) for name in ("piece", "place", "gap")))
    pieces = pieces.from_(keys.subquery("k"))
    number_of: exp.Expr = _number(_PAIR + 1)
    if place is not None:
        apart = exp.Sub(this=exp.column("place"), expression=_over("lag", exp.column("place")))
        # Deduplicate first, on two processors: all that follows runs on one.
        once = exp.select(key).from_(keys.subquery("k")).distinct()
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


def question_of(node: RuntimeFilter) -> Question | None:
    """Return the question whose answer narrows a relation, None if it is not worth asking.

    If the small side is not materialized, asking would compute it once more.
    """
    if reads_sources(node.among):
        return None
    if any(isinstance(n, RuntimeFilter) for n in walk(node.among)):
        return None
    return Question(node.among, node.key, node.type_name)


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
    return exp.cast(exp.Literal.string(text), type_name, dialect="spark")


def _place(key: exp.Expr, type_name: str) -> exp.Expr | None:
    """Return a key as a number in the keys' order, None for types without distances."""
    if type_name not in _NUMBERS:
        return None
    name = _NUMBERS[type_name]
    number = exp.Anonymous(this=name, expressions=[key.copy()]) if name else key.copy()
    return exp.cast(number, _PLACE)


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


BIG_ROWS = 5_000_000
"""If a table has at least so many rows, asking for the key ranges costs less than they may save."""


def with_runtime_filters(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
    """Return the same tree with big inputs that join a small change marked as `RuntimeFilter`.

    Args:
        root: a delta.
        sources: facts by quoted name. A source that is not among them is not narrowed.
    """
    return _mark(root, lambda node, column: provenance(node, column, sources))


_Find = Callable[[Node, str], "Provenance | None"]


def _mark(node: Node, find: _Find) -> Node:
    node = with_children(node, tuple(_mark(child, find) for child in children(node)))
    if isinstance(node, Join):
        inputs = list(node.inputs)
        for n, partner in enumerate(node.inputs):
            for small in node.inputs:
                if small is not partner and inputs[n] is partner:
                    inputs[n] = _narrow(partner, small, node.predicates, find)
        return replace(node, inputs=tuple(inputs))
    if isinstance(node, SemiJoin):
        if is_delta_sized(node.among):
            if node.anti:
                return node
            return replace(node, input=_narrow(node.input, node.among, node.predicates, find))
        return replace(node, among=_narrow(node.among, node.input, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "LEFT":
        return replace(node, right=_narrow(node.right, node.left, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "RIGHT":
        return replace(node, left=_narrow(node.left, node.right, node.predicates, find))
    return node


def _narrow(partner: Node, small: Node, predicates: tuple[exp.Expr, ...], find: _Find) -> Node:
    """Return the partner, narrowed to the keys of a small relation if an equality names them."""
    if is_delta_sized(partner) or not is_delta_sized(small):
        return partner
    for mine, other, null_safe in equal_columns(predicates, partner, small):
        own, key = find(partner, mine), find(small, other)
        if own is None or key is None or own.rows < BIG_ROWS:
            continue
        if own.type_name == key.type_name and key.type_name in ORDERED:
            return RuntimeFilter(partner, small, mine, other, key.type_name, null_safe)
    return partner
