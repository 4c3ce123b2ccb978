"""The statement of an incremental refresh as SQL text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.ranges import Answers
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.delta.within import SourceFacts
from dbt.adapters.ivm_spark.refresh.plan import AppendSql, MergeSql
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.window import Window
from dbt.adapters.ivm_spark.state.append import append
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.merge import merge


@dataclass(frozen=True)
class Incremental:
    """What the MERGE or INSERT of one refresh is made of.

    state: quoted name; windows: of every source; versions: to read; sources: what is
    known of them; compact: where the state is appended to, its rows are added up now; token: what
    makes the names of temporary views this refresh's own; large: see `merge`.
    """

    layout: Layout
    state: str
    windows: dict[str, Window]
    versions: Versions
    sources: dict[str, SourceFacts]
    compact: bool = False
    token: str = ""
    large: Mapping[str, str] | None = None

    def merge(self, answers: Answers) -> MergeSql | AppendSql:
        """The statements, with what the answers say of the change's keys."""
        moved = {name: w for name, w in self.windows.items() if w.moved}
        rows = {name: facts.rows for name, facts in self.sources.items()}
        change = delta(self.layout.input, Context(frozenset(moved), rows))
        assert change is not None
        insert_only = {w.effect for w in moved.values()} == {Effect.INSERTS}
        changed = {name: 2 * w.rows for name, w in moved.items()}
        layout, state, bind = self.layout, self.state, self.versions.bind
        known = (changed, self.sources, answers, self.token)
        if layout.appended:
            parts = append(layout, change, state, bind, insert_only, self.compact, *known)
            return AppendSql.of(parts)
        return MergeSql.of(merge(layout, change, state, bind, insert_only, *known, self.large))
