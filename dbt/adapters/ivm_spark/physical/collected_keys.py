"""The keys of a change, collected to tell where they lie: `key_ranges` for changes that are small.

`key_ranges` lets Spark sort the keys and compute their gaps: a window function over one partition,
and three stages of one job. If there are not too many keys, they all are sent in one text, and this
process does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.tree import Item, Project
from dbt.adapters.ivm_spark.physical.broadcast import BROADCAST_ROWS, Bounds
from dbt.adapters.ivm_spark.physical.key_ranges import KEYS, Answer, Piece, Question, answer_of
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain

MOST_COLLECTED = BROADCAST_ROWS
"""Keys that may be sent to this process: as many as Spark collects to send them to its workers."""
_KEY = "__ivm_key"
_NUMBERS = {"tinyint": "", "smallint": "", "int": "", "bigint": "", "timestamp": "unix_micros"}
"""The function that turns a key of each type into a number, none for a key that is one."""
_BETWEEN = ","


def are_collected(asked: Sequence[Question], bounds: Bounds) -> bool:
    """Return whether all keys that questions ask for are numbers, and certainly not too many."""
    return all(q.type_name in _NUMBERS and _are_few(q, bounds) for q in asked)


def _are_few(question: Question, bounds: Bounds) -> bool:
    most = bounds.different_in(question.among, {question.key})
    return most is not None and most <= MOST_COLLECTED


def collected_sql(asked: Sequence[Question]) -> exp.Query:
    """Return one query for several questions, with a row for each.

    Its columns are `number` (of the question), `keys` (all of them as a text, with commas between)
    and `nulls` (whether some rows have no key).
    """
    queries = [_question_sql(question, number) for number, question in enumerate(asked)]
    return queries[0] if len(queries) == 1 else exp.union(*queries, distinct=False)


def collected(
    asked: Sequence[Question], rows: Iterable[Mapping[str, Any]]
) -> dict[Question, Answer]:
    """Return the answers in the rows of `collected_sql`."""
    return {
        asked[int(row["number"])]: answer_of(
            _pieces(sorted(map(int, filter(None, str(row["keys"] or "").split(_BETWEEN))))),
            bool(row["nulls"]),
        )
        for row in rows
    }


def _pieces(keys: Sequence[int]) -> list[Piece]:
    """Return sorted keys, parted at gaps of which there are less than twice as many as names.

    Gaps of one width part all their keys or none: evenly spaced keys are one piece.
    """
    gaps = [after - before for before, after in pairwise(keys)]
    widest = sorted(gaps, reverse=True)
    limit = max([1, *widest[2 * KEYS - 1 : 2 * KEYS]])
    parted = [n for n, gap in enumerate(gaps, 1) if gap > limit]
    starts, ends = [0, *parted], [*parted, len(keys)]
    runs = [(start, keys[start:end]) for start, end in zip(starts, ends, strict=True) if end]
    before = [0, *gaps]
    return [_piece(place, run, before[start]) for place, (start, run) in enumerate(runs)]


def _piece(place: int, keys: Sequence[int], gap: int) -> Piece:
    low, high = keys[0], keys[-1]
    return Piece(place, str(low), str(high), len(keys), high - low, gap)


def _question_sql(question: Question, number: int) -> exp.Query:
    keys = render(Project(question.among, (Item(_KEY, column(question.key)),)), bind_plain)
    key = exp.column(_KEY, quoted=True)
    name = _NUMBERS[question.type_name]
    place = exp.Anonymous(this=name, expressions=[key.copy()]) if name else key.copy()
    texts = exp.cast(exp.ArrayUniqueAgg(this=place), "array<string>", dialect="spark")
    text = exp.ArrayToString(this=texts, expression=exp.Literal.string(_BETWEEN))
    some = exp.LogicalOr(this=exp.Is(this=key.copy(), expression=exp.null()))
    return exp.select(
        exp.alias_(exp.Literal.number(number), "number"),
        exp.alias_(text, "keys"),
        exp.alias_(some, "nulls"),
    ).from_(keys.subquery("k"))
