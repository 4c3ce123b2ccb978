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

from dbt.adapters.ivm_spark.algebra.dialect import union_all
from dbt.adapters.ivm_spark.physical.broadcast import BROADCAST_ROWS, Bounds
from dbt.adapters.ivm_spark.physical.key_ranges import (
    KEYS,
    Answer,
    Piece,
    Question,
    answer_of,
    keys_of,
    number_of,
)

MOST_COLLECTED = BROADCAST_ROWS
"""Keys that may be sent to this process: as many as Spark collects to send them to its workers."""
_TYPES = frozenset({"tinyint", "smallint", "int", "bigint", "timestamp"})
"""Types whose ends of ranges are sent as numbers. Those of dates are sent as Spark writes them."""
_BETWEEN = ","


def are_collected(asked: Sequence[Question], bounds: Bounds) -> bool:
    """Return whether all keys that questions ask for are numbers, and certainly not too many."""
    return all(q.type_name in _TYPES and _are_few(q, bounds) for q in asked)


def _are_few(question: Question, bounds: Bounds) -> bool:
    most = bounds.different_in(question.among, {question.key})
    return most is not None and most <= MOST_COLLECTED


def collected_sql(asked: Sequence[Question]) -> exp.Query:
    """Return one query for several questions, with a row for each.

    Its columns are `number` (of the question), `keys` (all of them as a text, with commas between)
    and `nulls` (whether some rows have no key).
    """
    queries = [_question_sql(question, number) for number, question in enumerate(asked)]
    return union_all(queries)


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
    keys, key = keys_of(question)
    place = number_of(key, question.type_name)
    assert place is not None
    texts = exp.cast(exp.ArrayUniqueAgg(this=place), "array<string>", dialect="spark")
    text = exp.ArrayToString(this=texts, expression=exp.Literal.string(_BETWEEN))
    some = exp.LogicalOr(this=exp.Is(this=key.copy(), expression=exp.null()))
    return exp.select(
        exp.alias_(exp.Literal.number(number), "number"),
        exp.alias_(text, "keys"),
        exp.alias_(some, "nulls"),
    ).from_(keys)
