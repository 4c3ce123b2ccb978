"""Reads what the query of a current view needs: the state's watermark and its sources' commits."""

from __future__ import annotations

from dataclasses import replace

from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.clock import clock_constants, with_constants
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.algebra.recorded import read_recorded
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.commands.current.current_view import current_view
from dbt.adapters.ivm_spark.plan.change import Change, Derivation
from dbt.adapters.ivm_spark.plan.clock import Clock, clock_reason, read_clock
from dbt.adapters.ivm_spark.plan.findings import Facts
from dbt.adapters.ivm_spark.plan.frozen import frozen_rows, without_frozen_changes
from dbt.adapters.ivm_spark.plan.query_change import columns_of
from dbt.adapters.ivm_spark.plan.reading import dialect_of, lay_out
from dbt.adapters.ivm_spark.plan.relations import with_tracking
from dbt.adapters.ivm_spark.plan.result_settings import result_settings
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head, VersionRange, version_range
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.fingerprint import made_under
from dbt.adapters.ivm_spark.sql.scans import columns_read
from dbt.adapters.ivm_spark.state.difference import stored_types
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.watermark.history import (
    identified,
    is_another,
    replacement,
    since_last_refresh,
)
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark, Watermark, newest


class CurrentReader:
    """Makes the queries of current views through one connection; `query` sends a statement."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._reader = SourceReader(query)

    def sql(self, view: str, state: str) -> str:
        """Return the SELECT of a view as a refresh would leave it now.

        Raises CompilationError, with the reason and what to do, if no refresh could follow the
        changes since the last one.

        Args:
            view: quoted name of the view, for messages.
            state: quoted name of its state.
        """
        try:
            return self._sql(state)
        except NotMaintained as error:
            reason = error.reason
            raise CompilationError(
                f"ivm_current of {view}: its next refresh is not incremental ({reason}). Read the "
                "view itself, or run the model first."
            ) from error

    def _sql(self, state: str) -> str:
        history = newest(since_last_refresh(self._reader, state))
        watermark, version = history.watermark, history.version
        if watermark is None or version is None or history.unread:
            raise NotMaintained(ReasonCode.STATE_MISSING)
        if watermark.unsupported_reason is not None:
            code, detail = watermark.unsupported_reason
            raise NotMaintained(ReasonCode(code), detail)
        settings = result_settings(Pins().settings(self._reader))
        if not made_under(watermark.fingerprint, settings):
            raise NotMaintained(ReasonCode.QUERY_FINGERPRINT_CHANGED, "session settings")
        view = self._view(watermark)
        heads = {n: self._head(view.sources[n], m) for n, m in watermark.sources.items()}
        ranges = {name: _range(view, name, watermark, head) for name, head in heads.items()}
        view, clock = self._at_the_clock(view, watermark)
        whole = lay_out(view, watermark.types, state, watermark.appends, checked=True)
        facts = Facts(watermark.outputs, watermark.types)
        frozen = frozen_rows(watermark.frozen, whole, facts, dialect_of(settings))
        stored = stored_types(whole, watermark.types, watermark.outputs)
        history = without_frozen_changes(self._query, state, history, frozen, stored)
        if history.modified:
            raise NotMaintained(ReasonCode.STATE_MODIFIED, history.modified)
        layout = whole if frozen is None or frozen.live is None else frozen.live
        if clock.moved:
            _check(clock_reason(layout, clock))
        statements = None
        if clock.moved or any(r.moved for r in ranges.values()):
            known = {
                name: SourceFacts.of(watermark.sources[name].rows, relation.columns)
                for name, relation in view.sources.items()
            }
            versions = Versions.of(ranges, heads, {state: version})
            derivation = Derivation(layout, known)
            change = Change(layout, derivation, ranges, versions, known, Target(state, "current"))
            statements = change.statements(frozenset())
        return current_view(layout, watermark.types, watermark.outputs, state, version, statements)

    def _view(self, watermark: Watermark) -> View:
        """Return the view that the state holds."""
        root = read_recorded(watermark.query.tree)
        if root is None:
            raise NotMaintained(ReasonCode.STATE_FORMAT_CHANGED, "its query was not recorded")
        sources = {name: self._reader.relation(name) for name in watermark.sources}
        if columns_of(root, sources) != watermark.query.columns:
            raise NotMaintained(ReasonCode.DATA_SCHEMA_CHANGED)
        return View(root, root, sources, clock_constants(root), watermark.query.above)

    def _head(self, relation: Relation, mark: SourceWatermark) -> Head:
        head = self._reader.head(relation, mark.version)
        head = with_tracking(self._query, relation, head)
        head = identified(self._reader, relation.name, head, mark)
        if is_another(head, mark):
            raise NotMaintained(replacement(head, mark), relation.name)
        return head

    def _at_the_clock(self, view: View, watermark: Watermark) -> tuple[View, Clock]:
        """Return a view with the time as it is now, and the clock."""
        if not view.clock:
            return view, Clock()
        now = self._reader.now()
        clock, old = read_clock(self._query, view.clock, now, watermark.clock)
        root = with_constants(view.root, clock.values, old)
        return replace(view, root=root), clock


def _range(view: View, name: str, watermark: Watermark, head: Head) -> VersionRange:
    used = columns_read(view.root, name)
    found = version_range(name, watermark.sources[name].version, head, used)
    _check(found.broken)
    return found


def _check(reason: Reason | None) -> None:
    if reason is not None:
        raise NotMaintained(reason.code, reason.detail)
