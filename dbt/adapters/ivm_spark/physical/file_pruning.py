"""Read only the files of a big source that can have the change's keys: dynamic file pruning.

`runtime_filters` puts the ranges of the keys into the SQL, and Delta then chooses the files of each
scan in a Spark job. If the files and their statistics are known, they are chosen without one, and
the scan reads a view of just these files.

Applies to a runtime filter whose column is a source's own, if all operators between the filter and
the scan pass each row on or drop it by itself: then rows of other files reach nothing but the
filter. Those are projections, filters, unions, inner joins, and semi and anti joins whose left side
the scan is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, by_place
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    At,
    Filter,
    Join,
    Node,
    Project,
    Scan,
    SemiJoin,
    UnionAll,
)
from dbt.adapters.ivm_spark.physical.key_ranges import Answer, Question

SKIPPING = "spark.databricks.delta.stats.skipping"
"""Lets Delta skip files. To do so, Delta runs a job for each scan, which lists the files."""
LEAST, MOST, NULLS = "minValues", "maxValues", "nullCount"
"""What statistics say of each column; see Delta's protocol, "Per-file Statistics"."""


def _days(text: object) -> int:
    return date.fromisoformat(str(text)).toordinal()


_PLACES: Mapping[str, Callable[[object], int]] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), lambda value: int(str(value))),
    "date": _days,
}
"""Types of keys whose places in order are the same in statistics and in an answer."""


@dataclass(frozen=True)
class PrunedScan:
    """A scan of which only the files matter that can have some keys.

    Attributes:
        relation: the quoted name of the source.
        column: its column that the keys are compared with.
        question: its answer says which keys there are.
    """

    relation: str
    column: str
    question: Question


Views = Mapping[PrunedScan, str | None]
"""The quoted name of the relation to read in place of a scan, None if there is none."""


def scans_of(node: Node, column: str, question: Question) -> Iterator[PrunedScan]:
    """Yield the scans whose files a filter of a relation's column prunes."""
    if isinstance(node, Scan):
        own = dict(node.fields).get(column)
        if own is not None and node.at is At.POST and question.type_name in _PLACES:
            yield PrunedScan(node.relation, own, question)
    below = children(node)
    for place, name in _origins(node, column):
        yield from scans_of(below[place], name, question)


def reading(node: Node, column: str, question: Question, views: Views) -> Node:
    """Return a relation with `views` in place of the scans that `scans_of` yields."""
    if isinstance(node, Scan):
        view = next((views.get(scan) for scan in scans_of(node, column, question)), None)
        return node if view is None else replace(node, relation=view)
    below = list(children(node))
    for place, name in _origins(node, column):
        below[place] = reading(below[place], name, question, views)
    return with_children(node, tuple(below))


def _origins(node: Node, column: str) -> Iterator[tuple[int, str]]:
    """Yield the places of the inputs that a column comes from, with its name there.

    It yields nothing for a computed column, or if a row of the result depends on other rows of such
    an input.
    """
    if isinstance(node, Project):
        own = as_they_are(node.items).get(column)
        if own is not None:
            yield 0, own
    elif isinstance(node, (Filter, SemiJoin)):
        yield 0, column
    elif isinstance(node, Join):
        yield from ((n, column) for n, child in enumerate(node.inputs) if column in child.columns)
    elif isinstance(node, UnionAll):
        for n, child in enumerate(node.inputs):
            yield n, dict(by_place(node.columns, child))[column]


@dataclass(frozen=True)
class FileKeys:
    """The keys that a file may have, to compare with its statistics.

    Attributes:
        column: the source's column.
        nulls: rows without a key matter too.
        lows: the least key of each range, in order, as its place.
        highs: the greatest key of each range.
        type_name: of the column, in Spark's words.
    """

    column: str
    nulls: bool
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    type_name: str

    @classmethod
    def of(cls, scan: PrunedScan, answer: Answer) -> FileKeys | None:
        """Return the keys in an answer, None if some have no place, like a date of no year.

        The ranges of an answer do not overlap.
        """
        place = _PLACES[scan.question.type_name]
        try:
            ends = sorted((place(low), place(high)) for low, high in answer.finest)
        except ValueError:
            return None
        lows, highs = tuple(low for low, _ in ends), tuple(high for _, high in ends)
        return cls(scan.column, answer.nulls, lows, highs, scan.question.type_name)

    def may_be_in(self, statistics: Mapping[str, Any]) -> bool:
        """Return whether a file may have rows with one of the keys.

        A file whose statistics do not tell may have some.

        statistics: of the file, empty if it has none.
        """
        place, column = _PLACES[self.type_name], self.column
        try:
            least, most = (place(statistics[of][column]) for of in (LEAST, MOST))
            nulls = int(statistics[NULLS][column])
        except (KeyError, TypeError, ValueError):
            return True
        first = bisect_left(self.highs, least)
        return (first < len(self.lows) and self.lows[first] <= most) or (self.nulls and nulls > 0)
