"""Sources whose changes may come to nothing for a view, and what to ask of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.delta.net import net_changes, net_sql
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.sql.scans import Binding
from dbt.adapters.ivm_spark.state.layout import Layout

DOUBTED_ROWS = 100_000
"""Updated rows of a source up to which it is asked whether they come to nothing."""
WORTH_ASKING = 1_000_000
"""Rows of all sources from which on that costs little beside what it may save."""


@dataclass(frozen=True)
class NoOpUpdates:
    """Sources whose changes may come to nothing for the view: their rows were only updated.

    sql: has the column number, the place in `sources` of each whose change comes to something.
    """

    sources: tuple[str, ...]
    sql: str

    def idle(self, numbers: Iterable[int]) -> frozenset[str]:
        """The sources whose change comes to nothing, from the query's answer."""
        return frozenset(self.sources) - {self.sources[number] for number in numbers}


def find_no_op_updates(
    layout: Layout,
    ranges: Mapping[str, VersionRange],
    bind: Binding,
    sources: Mapping[str, SourceFacts],
) -> NoOpUpdates | None:
    """What to ask of the sources whose rows were only updated, before much is read for them; None
    where there are none, or where it is not worth it.

    ranges, sources: of the view's sources, by quoted name; bind: what scans are in SQL.
    """
    names = [n for n, w in ranges.items() if w.updates and w.rows <= DOUBTED_ROWS]
    if sum(rows_of(sources).values()) < WORTH_ASKING:
        return None
    changes = net_changes(layout.input, names, sources)
    if not changes:
        return None
    return NoOpUpdates(tuple(changes), to_sql(net_sql(list(changes.values()), bind), pretty=True))
