"""Finds out about a query, its sources and the clock, whatever the state's table is."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.__version__ import version
from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, relation_key
from dbt.adapters.ivm_spark.algebra.clock import with_constants
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.delta.query_forms import OtherQuery
from dbt.adapters.ivm_spark.plan.clock import Clock, read_clock
from dbt.adapters.ivm_spark.plan.config import OnQueryChange, RefreshPolicy
from dbt.adapters.ivm_spark.plan.described import Described, check_outputs
from dbt.adapters.ivm_spark.plan.examined import examined, in_order
from dbt.adapters.ivm_spark.plan.findings import Facts, Findings, QueryChange
from dbt.adapters.ivm_spark.plan.frozen import with_frozen
from dbt.adapters.ivm_spark.plan.laid_out import placed
from dbt.adapters.ivm_spark.plan.query_change import (
    Kept,
    counted,
    kept,
    recorded_query,
    stored_view,
)
from dbt.adapters.ivm_spark.plan.reading import Reading, lay_out, read
from dbt.adapters.ivm_spark.plan.refusals import own_defects
from dbt.adapters.ivm_spark.plan.relations import catalog_of, described_function, with_tracking
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.result_settings import result_settings
from dbt.adapters.ivm_spark.plan.source_watermarks import with_new_sources
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.fingerprint import same_settings
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel
from dbt.adapters.ivm_spark.watermark.history import identified
from dbt.adapters.ivm_spark.watermark.watermark import (
    SourceWatermark,
    StateHistory,
    StoredQuery,
    Watermark,
)

_Key = tuple[str, str, bool]
"""State, fingerprint of the query, and whether changes are appended."""


class Finder:
    """Finds out about queries through one connection.

    Args:
        query: sends a statement.
        pins: the pins of the run, shared by the whole run.
        counts: whether statements may read rows, see `Planner`.
    """

    def __init__(self, query: Query, pins: Pins, counts: bool) -> None:
        self._query = query
        self._described = Described(query)
        self._reader = SourceReader(query)
        self._pins = pins
        self._counts = counts
        self._examined: dict[_Key, tuple[Facts, Layout | None, Reading]] = {}

    def outputs(self, sql: str) -> tuple[tuple[str, str], ...]:
        """Return (name, type) of a query's columns; see `Described.outputs`."""
        return self._described.outputs(sql)

    def found(
        self,
        request: Request,
        history: StateHistory,
        found_late: Reason | None,
        keeps: bool = True,
    ) -> Findings:
        """Return the findings about the query and its sources, without the state's table.

        Args:
            request: of the run.
            history: of the state.
            found_late: why a query can't be maintained although it could be read and laid out.
            keeps: a state that was built from another query may be kept, or was before.

        Raises NotMaintained, and RefusedError if a view can't have the query's columns.
        """
        session = self._pins.settings(self._reader)
        catalog, names = self._catalog(request)
        reading = read(request.sql, catalog, session)
        watermark = history.watermark
        same = watermark is not None and watermark.fingerprint == reading.fingerprint
        reading, known = self._as_stored(request, reading, watermark, keeps)
        plain = reading.view
        reading, clock = self._at_the_clock(reading, watermark if known else None)
        if watermark is None or not known or _may_be_understood(watermark):
            facts, layout, reading = self._asked(request, reading, catalog, session)
        else:
            facts, layout, reading = self._recorded(request, reading, watermark)
        if found_late is not None:
            layout, reading = None, replace(reading, unsupported_reason=found_late)
        if layout is None and reading.view is not None and reading.unsupported_reason is None:
            checked = watermark is not None and watermark.package == version
            appends, most = request.config.table.appends, request.most_operators
            layout = lay_out(
                reading.view, facts.types, request.state, appends, checked=checked, most=most
            )
        stored = StoredQuery() if watermark is None or not known else watermark.query
        if layout is None:
            check_outputs(facts.outputs)
            stored = StoredQuery()
            if clock.values:
                # The query's own text reads the clock at another time with every run.
                reading, clock = replace(reading, repeatable=False), Clock()
        if layout is not None and plain is not None and plain.above is None and not stored.tree:
            stored = recorded_query(in_order(plain, facts.in_order))
        change: QueryChange | None = None
        if keeps and watermark is not None and not same and layout is not None:
            assert plain is not None
            ordered = in_order(plain, facts.in_order)
            found = self._changed(request, watermark, reading.fingerprint, ordered, facts)
            if isinstance(found, Kept):
                change, same = QueryChange(True, found.how, found.edited), True
                reading = replace(reading, view=found.view)
                facts = replace(facts, types=found.types)
                layout, clock, stored = found.layout, found.clock, found.stored
                catalog = catalog.with_relations(found.view.sources.values())
            else:
                change = found
        names = sorted(reading.view.sources) if reading.view is not None else names
        heads = self._heads(request, catalog, names, watermark)
        if watermark is not None and change is not None and change.kept:
            watermark, change = self._moved_to(request, watermark, change, reading, heads)
        findings = Findings(
            catalog,
            reading,
            facts,
            layout,
            heads,
            watermark,
            same,
            history.version,
            history.cost_model if same else CostModel(),
            session,
            placed(request, layout, facts),
            clock=clock,
            query_change=change,
            stored=stored,
        )
        return with_frozen(request, findings.derived)

    @staticmethod
    def _as_stored(
        request: Request, reading: Reading, watermark: Watermark | None, keeps: bool
    ) -> tuple[Reading, bool]:
        """Return the reading of the query that the state holds, and whether the watermark knows it.

        It knows the model's own query, or the one for which a former query's state was kept.
        """
        if watermark is None or watermark.fingerprint != reading.fingerprint:
            return reading, False
        if watermark.query.above is None:
            return reading, True
        # A rebuild starts from the model's own query.
        known = keeps and (not request.full_refresh or request.keeps_frozen)
        if known and reading.view is not None:
            reading = replace(reading, view=stored_view(reading.view, watermark.query))
        return reading, known

    def _asked(
        self, request: Request, reading: Reading, catalog: Catalog, session: dict[str, str]
    ) -> tuple[Facts, Layout | None, Reading]:
        """Return the facts, the layout and the reading of a query that no watermark knows.

        Spark is asked once for each query.
        """
        key = request.state, reading.fingerprint, request.config.table.appends
        if key not in self._examined:
            settings = result_settings(session)
            self._examined[key] = examined(self._query, request, reading, catalog, settings)
        return self._examined[key]

    def _recorded(
        self, request: Request, reading: Reading, watermark: Watermark
    ) -> tuple[Facts, None, Reading]:
        """Return the facts and the reading of a query that the watermark knows."""
        if reading.view is None:
            facts = Facts(self._described.outputs(request.sql), {})
            return facts, None, replace(reading, repeatable=watermark.repeatable)
        facts = Facts(watermark.outputs, watermark.types, watermark.in_order)
        if watermark.query.above is None:  # the recorded tree is in order
            reading = replace(reading, view=in_order(reading.view, facts.in_order))
        if watermark.unsupported_reason is not None:
            code, detail = watermark.unsupported_reason
            reason = Reason(ReasonCode(code), detail)
            reading = replace(reading, unsupported_reason=reason, repeatable=watermark.repeatable)
        return facts, None, reading

    def _changed(
        self, request: Request, watermark: Watermark, fingerprint: str, view: View, facts: Facts
    ) -> Kept | QueryChange:
        """Return a changed query over the state that there is, or why there is none.

        `view` has the clock's own calls.
        """
        try:
            with own_defects():
                return self._kept(request, watermark, fingerprint, view, facts)
        except OtherQuery as other:
            return QueryChange(False, str(other))
        except DbtDatabaseError as error:
            # Spark's judgement of a query that the model no longer has must not fail the run.
            if not says_condition(error):
                raise
            return QueryChange(False, "Spark can't read what the former query read")
        except NotMaintained as error:
            if error.reason.code is not ReasonCode.INTERNAL_ERROR:
                raise
            # It costs this rebuild, and is no reason to rebuild the new query ever after.
            return QueryChange(False, f"{error.reason.detail}; please report it")

    def _heads(
        self,
        request: Request,
        catalog: Catalog,
        names: list[str],
        watermark: Watermark | None,
    ) -> dict[str, Head]:
        marks = watermark.sources if watermark is not None else {}
        return {
            name: self._head(catalog.relations[relation_key(name)], marks.get(name), request)
            for name in names
        }

    def _moved_to(
        self,
        request: Request,
        watermark: Watermark,
        change: QueryChange,
        reading: Reading,
        heads: dict[str, Head],
    ) -> tuple[Watermark, QueryChange]:
        """Return the watermark and the change, if a changed query keeps the state."""
        assert reading.view is not None
        watermark = replace(
            watermark,
            fingerprint=reading.fingerprint,
            sources=with_new_sources(self._query, watermark.sources, heads, self._counts),
        )
        counts = self._counts and not request.full_refresh
        if counts and request.config.refresh_policy is RefreshPolicy.AUTO:
            bind = Versions.of({}, heads).bind
            change = replace(change, rows=counted(self._query, reading.view.root, bind))
        return watermark, change

    def _kept(
        self, request: Request, watermark: Watermark, fingerprint: str, view: View, facts: Facts
    ) -> Kept:
        """Return a changed query over the state that there is. Raises OtherQuery if there is none.

        `view` has the clock's own calls.
        """
        config = request.config
        if config.on_query_change is OnQueryChange.REBUILD:
            raise OtherQuery("on_query_change: rebuild")
        if not request.keeps_frozen and (
            request.full_refresh or config.refresh_policy is RefreshPolicy.FULL
        ):
            raise OtherQuery("")
        if watermark.unsupported_reason is not None or watermark.in_order != facts.in_order:
            raise OtherQuery("")
        if watermark.given:
            # How many rows such a group had is not known, and the new query might show it.
            raise OtherQuery("frozen rows that another table or the view gave")
        if not same_settings(watermark.fingerprint, fingerprint):
            raise OtherQuery("session settings")
        at = self._pins.now(self._reader) if view.clock or watermark.clock else 0

        def described(name: str) -> Relation:
            try:
                relation = self._relation(request, name)
            except DbtDatabaseError as error:
                if not says_condition(error):
                    raise
                raise OtherQuery(f"{name} can't be read any more") from error
            if not relation.is_read_exactly:
                raise OtherQuery(f"{name} is no Delta table any more")
            return relation

        for name, mark in watermark.sources.items():
            if self._head(described(name), mark, request).is_before(mark.version):
                raise OtherQuery("another run has read a source at a later version")
        return kept(self._query, request, watermark, view, facts.types, at, described)

    def _at_the_clock(self, reading: Reading, watermark: Watermark | None) -> tuple[Reading, Clock]:
        """Return the reading with values in place of its constants of the clock, and the clock.

        `watermark` is the query's, None without one.
        """
        view = reading.view
        if view is None or not view.clock:
            return reading, Clock()
        at = self._pins.now(self._reader)
        before = None if watermark is None else watermark.clock
        clock, old = read_clock(self._query, view.clock, at, before)
        root = with_constants(view.root, clock.values, old)
        return replace(reading, view=replace(view, root=root)), clock

    def _catalog(self, request: Request) -> tuple[Catalog, list[str]]:
        """Return every relation that the query reads, following views, and the sources' names.

        Both are empty if a relation can't be described and Spark must judge the query. A missing
        answer says nothing about the query, so its error passes through.
        """

        try:
            return catalog_of(
                request.sql,
                partial(self._relation, request),
                partial(described_function, self._reader),
                request.config.deterministic_functions,
            )
        except Exception as error:
            if isinstance(error, DbtDatabaseError) and not says_condition(error):
                raise
            self._described.outputs(request.sql)
            return Catalog(), []

    def _relation(self, request: Request, name: str) -> Relation:
        """Return the run's description of a relation, or a new one if the model has pre-hooks."""
        if request.hooked:
            return self._reader.relation(name)
        return self._pins.relation(self._reader, name, request.built)

    def _head(
        self, relation: Relation, watermark: SourceWatermark | None, request: Request
    ) -> Head:
        """Return the run's head of a source, or the newest if the model's own hooks have run."""
        since = watermark.version if watermark is not None else None
        if request.hooked:
            head = self._reader.head(relation, since)
        else:
            head = self._pins.head(self._reader, relation, since, request.built)
        head = with_tracking(self._query, relation, head)
        if watermark is None:
            return head
        return identified(self._reader, relation.name, head, watermark)


def _may_be_understood(watermark: Watermark) -> bool:
    """Return whether another version of this package refused a query that this one may maintain."""
    return watermark.unsupported_reason is not None and watermark.package != version
