"""The statement of an incremental refresh as SQL text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.idioms import empty
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.bags import weighted
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.runtime_filters import Answers
from dbt.adapters.ivm_spark.plan.plan import AppendSql, MergeSql
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.version_range import VersionRange, insert_only
from dbt.adapters.ivm_spark.state.append import Append
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.write import write


@dataclass(frozen=True)
class Incremental:
    """What the MERGE or INSERT of one refresh is made of.

    state: quoted name; ranges: of every source; versions: to read; sources: what is
    known of them; compact: where the state is appended to, its rows are added up now; token: what
    makes the names of temporary views this refresh's own; large: see `merge`.
    """

    layout: Layout
    state: str
    ranges: dict[str, VersionRange]
    versions: Versions
    sources: dict[str, SourceFacts]
    compact: bool = False
    token: str = ""
    large: Mapping[str, str] | None = None

    def merge(self, answers: Answers, idle: frozenset[str]) -> MergeSql | AppendSql:
        """The statements, with what the answers say of the change's keys, and without the changes
        of the sources where they are idle: where they come to nothing for the view."""
        moved = {name: w for name, w in self.ranges.items() if w.moved and name not in idle}
        change = delta(self.layout.input, Context(frozenset(moved), self.sources))
        if change is None:
            change = empty(weighted(self.layout.input, 1))
        changed = {name: 2 * w.rows for name, w in moved.items()}
        layout, state, bind = self.layout, self.state, self.versions.bind
        given = (
            insert_only(moved.values()),
            self.compact,
            changed,
            self.sources,
            answers,
            self.token,
            self.large,
        )
        parts = write(layout, change, state, bind, *given)
        return AppendSql.of(parts) if isinstance(parts, Append) else MergeSql.of(parts)
