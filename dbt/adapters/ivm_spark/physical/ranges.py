"""The ranges of a change's keys: what to ask for them, and what they leave of a big partner.

The keys of a refresh often lie close together (the newest orders, one day's corrections), in a few
places. The places are told apart at the widest gaps between neighbouring keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from dbt.adapters.ivm_spark.physical.shared import KEPT, reads_sources
from dbt.adapters.ivm_spark.view.columns import column
from dbt.adapters.ivm_spark.view.empty import empty
from dbt.adapters.ivm_spark.view.plain import bind_plain
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.tree import Filter, Item, Node, Project, Scan, Within
from dbt.adapters.ivm_spark.view.walk import children, walk, with_children

PIECES = 16
"""Ranges of one key at most; between them are the widest gaps. A part of the whole as the least
gap would not do: the newest keys are often far from the old ones that change with them."""

_KEY = "__ivm_key"
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
    """Which keys a kept relation has."""

    among: Node
    key: str
    type_name: str

    @property
    def needs(self) -> frozenset[str]:
        """The kept relations that must be there to ask."""
        scans = (n for n in walk(self.among) if isinstance(n, Scan))
        return frozenset(s.relation for s in scans if s.relation.startswith(KEPT))


@dataclass(frozen=True)
class Answer:
    """Least and greatest key of every range, as text that Spark casts back; `nulls` of the rows
    have none."""

    ranges: tuple[tuple[str, str], ...]
    nulls: bool


Answers = Mapping[Question, Answer]


def questions(node: Node) -> list[Question]:
    """What to ask before a tree over kept relations is run, in the order of the tree."""
    asked = (_question(n) for n in walk(node) if isinstance(n, Within))
    return list(dict.fromkeys(q for q in asked if q is not None))


def open_questions(
    asks: Sequence[Sequence[Question]], number: int, kept: Set[str], known: Answers
) -> list[Question]:
    """What to ask before statement `number`: nothing if it has nothing to ask of what is kept by
    now, else with its own questions those of later statements, so that one query does for all."""
    every = [list(dict.fromkeys(q for q in asked if q not in known)) for asked in asks]
    if not any(q.needs <= kept for q in every[number]):
        return []
    return list(dict.fromkeys(q for asked in every for q in asked if q.needs <= kept))


def narrowed(node: Node, answers: Answers) -> Node:
    """The tree with its `Within` as filters where the answer is known, else without them."""
    below = tuple(narrowed(child, answers) for child in children(node))
    if not isinstance(node, Within):
        return with_children(node, below)
    question = _question(node)
    answer = answers.get(question) if question is not None else None
    if answer is None:
        return below[0]
    assert question is not None
    found = in_ranges(
        column(node.column), question, replace(answer, nulls=answer.nulls and node.null_safe)
    )
    return Filter(below[0], found) if found is not None else empty(below[0])


def in_ranges(value: exp.Expr, question: Question, answer: Answer) -> exp.Expr | None:
    """That a value can be one of the keys; None where there are no keys."""
    kept: list[exp.Expr] = [_between(value, question, *ends) for ends in answer.ranges]
    if answer.nulls:
        kept.append(exp.Is(this=value.copy(), expression=exp.null()))
    return exp.or_(*kept) if kept else None


def questions_sql(asked: Sequence[Question]) -> exp.Query:
    """A query with the columns number (of the question), low and high: a row for each range, and
    one without low and high for NULL keys."""
    queries = [_question_sql(question, number) for number, question in enumerate(asked)]
    return queries[0] if len(queries) == 1 else exp.union(*queries, distinct=False)


def answered(
    asked: Sequence[Question], rows: Iterable[Mapping[str, Any]]
) -> dict[Question, Answer]:
    """The answers in the rows of `questions_sql`; a question without rows has one without keys."""
    found: dict[int, list[tuple[str, str]]] = {n: [] for n in range(len(asked))}
    nulls = set()
    for row in rows:
        if row["low"] is None:
            nulls.add(int(row["number"]))
        else:
            found[int(row["number"])].append((str(row["low"]), str(row["high"])))
    return {
        question: Answer(tuple(sorted(found[n])), n in nulls) for n, question in enumerate(asked)
    }


def _question_sql(question: Question, number: int) -> exp.Query:
    item = Item(_KEY, column(question.key))
    keys = render(Project(question.among, (item,)), bind_plain)
    key = exp.column(_KEY, quoted=True)
    place = _place(key, question.type_name)
    pieces = exp.select(key, exp.alias_(exp.Literal.number(0), "piece"))
    if place is not None:
        apart = exp.Sub(this=place, expression=_over("lag", place, by=_KEY))
        gaps = exp.select(key, exp.alias_(apart, "gap")).from_(keys.subquery("k"))
        ranks = exp.select(key, exp.alias_(_over("row_number", by="gap", desc=True), "place"))
        wide = exp.LT(this=exp.column("place"), expression=exp.Literal.number(PIECES))
        fresh = exp.If(this=wide, true=exp.Literal.number(1), false=exp.Literal.number(0))
        piece = _over("sum", fresh, by=_KEY)
        pieces = exp.select(key, exp.alias_(piece, "piece")).from_(
            ranks.from_(gaps.subquery("g")).subquery("m")
        )
    else:
        pieces = pieces.from_(keys.subquery("k"))
    low, high = (_sent(best, question.type_name) for best in (exp.Min(this=key), exp.Max(this=key)))
    return (
        exp.select(
            exp.alias_(exp.Literal.number(number), "number"),
            exp.alias_(low, "low"),
            exp.alias_(high, "high"),
        )
        .from_(pieces.subquery("p"))
        .group_by(exp.column("piece"), exp.Is(this=key.copy(), expression=exp.null()))
    )


def _question(node: Within) -> Question | None:
    """None where the small relation is not kept, so that asking would compute it once more."""
    if reads_sources(node.among):
        return None
    if any(isinstance(n, Within) for n in walk(node.among)):
        return None
    return Question(node.among, node.key, node.type_name)


def _sent(value: exp.Expr, type_name: str) -> exp.Expr:
    """A value as text that `_between` reads back. In the hour that clocks go through twice, two
    moments have one local time, so a timestamp is sent as a number."""
    if type_name == "timestamp":
        value = exp.Anonymous(this=_NUMBERS[type_name], expressions=[value.copy()])
    return exp.cast(value.copy(), "string")


def _between(value: exp.Expr, question: Question, low: str, high: str) -> exp.Expr:
    least, most = (_read(end, question.type_name) for end in (low, high))
    return exp.Between(this=value.copy(), low=least, high=most)


def _read(text: str, type_name: str) -> exp.Expr:
    if type_name == "timestamp":
        number = exp.cast(exp.Literal.string(text), "bigint")
        return exp.Anonymous(this="timestamp_micros", expressions=[number])
    return exp.cast(exp.Literal.string(text), type_name, dialect="spark")


def _place(key: exp.Expr, type_name: str) -> exp.Expr | None:
    """A key as a number, None for types without distances."""
    if type_name not in _NUMBERS:
        return None
    name = _NUMBERS[type_name]
    number = exp.Anonymous(this=name, expressions=[key.copy()]) if name else key.copy()
    return exp.cast(number, "double")


def _over(name: str, argument: exp.Expr | None = None, *, by: str, desc: bool = False) -> exp.Expr:
    ordered = exp.Ordered(this=exp.column(by, quoted=True), desc=desc)
    if desc:
        ordered.set("nulls_first", False)
    arguments = [] if argument is None else [argument.copy()]
    return exp.Window(
        this=exp.Anonymous(this=name, expressions=arguments),
        order=exp.Order(expressions=[ordered]),
    )
