"""Gathers the facts of ivm models, by the plan that their next run would make.

It changes nothing. It reads rows only if it is asked to check keys or drift.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dbt_common.exceptions import CompilationError, DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import quote, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.commands.changes.feed import Refresh, refreshes_in
from dbt.adapters.ivm_spark.commands.doctor.durations import FILES_KEPT, LOG_KEPT, feed_since, kept
from dbt.adapters.ivm_spark.commands.doctor.facts import (
    KeyFacts,
    MetFacts,
    ModelFacts,
    ReferenceFacts,
    SourceFacts,
    StateFacts,
)
from dbt.adapters.ivm_spark.commands.doctor.layout import measured, met_by_key
from dbt.adapters.ivm_spark.commands.doctor.parents import Parent, dropped, keys_of
from dbt.adapters.ivm_spark.commands.doctor.stores import unsafe_scheme
from dbt.adapters.ivm_spark.commands.verify.comparison import Comparison
from dbt.adapters.ivm_spark.commands.verify.pinned import held_at
from dbt.adapters.ivm_spark.commands.verify.verifier import Verifier
from dbt.adapters.ivm_spark.delta.references import ForeignKey
from dbt.adapters.ivm_spark.plan.declared_keys import foreign_keys_among
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.plan import Plan
from dbt.adapters.ivm_spark.plan.planner import Planner
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.session.condition import first_line
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.iceberg import DELETE_FILES
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.watermark.history import is_another, since_last_refresh

Differences = Callable[[Comparison], str]


@dataclass(frozen=True)
class Checks:
    """The checks that read rows.

    Attributes:
        keys: check the declared keys.
        drift: check whether the view equals its query.
        layout: measure how much of a big table one key of a change reads.
        sample: the fraction of the rows to check for drift, None for all.
    """

    keys: bool = False
    drift: bool = False
    layout: bool = False
    sample: float | None = None


class Examiner:
    """Examines models through one connection.

    Args:
        query: sends a statement.
        pins: the pinned heads and descriptions of the sources.
        differences: returns the SQL of a comparison.
        parents: what builds a relation, by the relation's key.
        checks: the checks that read rows.
        now: milliseconds since 1970.
    """

    def __init__(
        self,
        query: Query,
        pins: Pins,
        differences: Differences,
        parents: Mapping[str, Parent],
        checks: Checks,
        now: int,
    ) -> None:
        self._query = query
        self._reader = SourceReader(query)
        self._planner = Planner(query, pins, counts=False)
        self._differences = differences
        self._parents = parents
        self._checks = checks
        self._now = now

    def facts(self, name: str, **said: Any) -> ModelFacts:
        """Return the facts of a model.

        said: as for a refresh, see `Request.of_model`.
        """
        facts = ModelFacts(name, str(said["view"]), "", self._now)
        try:
            request = Request.of_model(**said)
            facts = replace(facts, policy=request.config.refresh_policy.value)
            plan, refused = self._planned(request)
        except (CompilationError, RefusedError, DbtDatabaseError) as error:
            return replace(facts, refused=first_line(error))
        found = plan.findings
        assert found is not None
        refresh = self._last_refresh(request)
        return replace(
            facts,
            kind=plan.kind.value,
            technique=plan.technique.value,
            reason=plan.reason,
            unsupported_reason=found.reading.unsupported_reason,
            refused=refused,
            state=None if refresh is None else self._state(request, refresh, found.session),
            sources=tuple(
                self._source(name, head, found, request) for name, head in found.heads.items()
            ),
            met=self._met(found) if self._checks.layout else (),
            **(self._drift(name, request) if self._checks.drift and refresh else {}),
        )

    def _planned(self, request: Request) -> tuple[Plan, str]:
        """Return the plan, and why a run would refuse it.

        If a run would refuse it, the plan is that of a run that may rebuild.
        """
        try:
            return self._planner.plan(request), ""
        except RefusedError as error:
            return self._planner.plan(request.forgiving), str(error)

    def _last_refresh(self, request: Request) -> Refresh | None:
        if not request.state_exists or request.occupied_by:
            return None
        found = refreshes_in(since_last_refresh(self._reader, request.state))
        return found[-1] if found else None

    def _state(self, request: Request, refresh: Refresh, session: Mapping[str, str]) -> StateFacts:
        detail = self._reader.detail(request.state)
        return StateFacts(
            name=request.state,
            files=int(detail["numFiles"] or 0),
            size=int(detail["sizeInBytes"] or 0),
            refresh=refresh.watermark.refresh,
            refreshed=refresh.committed,
            held=bool(request.information)
            and held_at(self._reader.relation(request.view).text) is not None,
            unsafe=unsafe_scheme(str(detail["location"] or ""), session),
        )

    def _source(self, name: str, head: Head, found: Findings, request: Request) -> SourceFacts:
        watermark = found.watermark.sources.get(name) if found.watermark is not None else None
        parent = self._parents.get(relation_key(name))
        declared = foreign_keys_among(request.config, request.references, found.heads)
        trusted = {key.keys for key in declared if key.referenced == name}
        keys = [
            replace(key, trusted=tuple(c.lower() for c in key.columns) in trusted)
            for key in keys_of(name, parent, request.config.primary_keys)
        ]
        facts = SourceFacts(
            name=name,
            feed_since=None,
            version=head.version,
            recorded=watermark.version if watermark is not None else None,
            recorded_id=watermark.table_id if watermark is not None else "",
            replaced=watermark is not None and head.has_own_id and is_another(head, watermark),
            parent=parent.name if parent is not None else "",
            parent_kind=parent.kind if parent is not None else "",
            keys=tuple(self._checked(name, key) for key in keys),
            references=tuple(self._reference(key) for key in declared if key.relation == name),
            files=head.files,
            tracked=head.tracked,
            snapshots=head.snapshots,
            unreadable=_deleting(head),
        )
        return facts if head.has_own_id else self._versioned(facts, head, found, parent)

    def _versioned(
        self, facts: SourceFacts, head: Head, found: Findings, parent: Parent | None
    ) -> SourceFacts:
        """Return the facts of a Delta table, with what it tells of its versions."""
        name = facts.name
        watermark = found.watermark.sources.get(name) if found.watermark is not None else None
        detail = self._reader.detail(name)
        properties = _properties(detail)
        since = watermark.version if watermark is not None else head.version
        table_id = str(detail["id"])
        unread = [c for c in head.commits if c.version > since and c.effect is not Effect.NOTHING]
        times = [int(c.committed) for c in unread if c.committed.isdigit()]
        return replace(
            facts,
            feed_since=feed_since(self._reader.commits(name, 0)) if head.feed else None,
            unread=len(unread),
            unread_since=min(times) if times else None,
            files_kept=kept(properties, FILES_KEPT),
            log_kept=kept(properties, LOG_KEPT),
            table_id=table_id,
            replaced=watermark is not None
            and is_another(replace(head, table_id=table_id), watermark),
            drops=dropped(parent, properties, found.session),
        )

    def _checked(self, relation: str, key: KeyFacts) -> KeyFacts:
        if not self._checks.keys:
            return key
        columns = ", ".join(quote(column) for column in key.columns)
        rows = self._query(
            f"select {columns} from {relation} group by {columns} having count(*) > 1 limit 1"
        )
        return replace(key, duplicate=_example(rows))

    def _reference(self, key: ForeignKey) -> ReferenceFacts:
        facts = ReferenceFacts(key.columns, key.referenced, key.keys)
        if not self._checks.keys:
            return facts
        columns = [f"l.{quote(column)}" for column in key.columns]
        same = " and ".join(
            f"{ours} = r.{quote(theirs)}" for ours, theirs in zip(columns, key.keys, strict=True)
        )
        complete = " and ".join(f"{column} is not null" for column in columns)
        rows = self._query(
            f"select {', '.join(columns)} from {key.relation} as l left anti join "
            f"{key.referenced} as r on {same} where {complete} limit 1"
        )
        return replace(facts, orphan=_example(rows))

    def _met(self, found: Findings) -> tuple[MetFacts, ...]:
        if found.derivation is None or found.watermark is None:
            return ()
        sources = found.source_facts(found.watermark)
        of_delta = {name for name, head in found.heads.items() if not head.has_own_id}
        return tuple(
            measured(self._query, relation, key)
            for relation, key in met_by_key(found.derivation, sources)
            if relation in of_delta
        )

    def _drift(self, name: str, request: Request) -> dict[str, Any]:
        try:
            comparison = Verifier(self._query).comparison(
                model=name,
                sql=request.sql,
                view=request.view,
                state=request.state,
                sample=self._checks.sample,
            )
            sql = self._differences(comparison)
            copies = to_sql(exp.func("coalesce", exp.func("sum", exp.column("ivm_copies")), 0))
            rows = self._query(f"select {copies} as n from (\n{sql}\n)")
            return {"drift": int(rows[0]["n"])}
        except (CompilationError, DbtDatabaseError) as error:
            return {"unchecked": first_line(error)}


def _example(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the values of the only row as text, empty without a row."""
    return ", ".join(f"{name} = {value}" for row in rows for name, value in row.items())


def _deleting(head: Head) -> str:
    """Return why the newest snapshot's changes can't be read, if later ones can't either."""
    newest = head.commits[0].unreadable if head.commits else ""
    return newest if newest == DELETE_FILES else ""


def _properties(detail: Mapping[str, Any]) -> dict[str, str]:
    """Return a table's properties: a map in a Spark session, JSON text through Thrift."""
    value = detail["properties"]
    given = json.loads(value) if isinstance(value, str) else dict(value or {})
    return {str(k): str(v) for k, v in given.items()}
