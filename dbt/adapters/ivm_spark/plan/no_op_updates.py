"""Finds sources whose changes may have no net effect on a view, and the question to ask. Pure."""

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
"""Updated rows of a source up to which a refresh asks whether they have a net effect."""
WORTH_ASKING = 1_000_000
"""Rows of all sources from which on the question costs little beside what it may save."""


@dataclass(frozen=True)
class NoOpUpdates:
    """Sources whose changes may have no net effect on the view, because rows were only updated.

    Attributes:
        sources: the sources, by quoted name.
        sql: the question; its column number is the place in `sources` of each source with a net
            effect.
    """

    sources: tuple[str, ...]
    sql: str

    def without_effect(self, numbers: Iterable[int]) -> frozenset[str]:
        """Return the sources whose changes have no net effect, from the question's answer."""
        return frozenset(self.sources) - {self.sources[number] for number in numbers}


def find_no_op_updates(
    layout: Layout,
    ranges: Mapping[str, VersionRange],
    bind: Binding,
    sources: Mapping[str, SourceFacts],
) -> NoOpUpdates | None:
    """Return the question about the sources whose rows were only updated.

    A refresh asks before it reads much for them. Returns None if there are no such sources, or if
    the question is not worth it.

    Args:
        layout: the layout of the state.
        ranges: the version ranges of the view's sources, by quoted name.
        bind: turns scans into SQL.
        sources: the facts of the view's sources, by quoted name.
    """
    names = [n for n, w in ranges.items() if w.updates and w.rows <= DOUBTED_ROWS]
    if sum(rows_of(sources).values()) < WORTH_ASKING:
        return None
    changes = net_changes(layout.input, names, sources)
    if not changes:
        return None
    return NoOpUpdates(tuple(changes), to_sql(net_sql(list(changes.values()), bind), pretty=True))
