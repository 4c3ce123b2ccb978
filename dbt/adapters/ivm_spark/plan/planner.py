"""Plans one refresh: asks Spark for facts, and lets the pure packages decide and write SQL.

Its statements read metadata only, never rows, except those of source_watermarks.py and choice.py.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from functools import partial

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.__version__ import version
from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.clock import with_constants
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import not_too_deep
from dbt.adapters.ivm_spark.delta.query_forms import OtherQuery
from dbt.adapters.ivm_spark.plan.assembly import assemble, compared
from dbt.adapters.ivm_spark.plan.choice import choose, situation_of
from dbt.adapters.ivm_spark.plan.clock import Clock, read_clock
from dbt.adapters.ivm_spark.plan.comparing import compares, cost_models, is_hopeless, may_compare
from dbt.adapters.ivm_spark.plan.config import OnQueryChange, RefreshPolicy
from dbt.adapters.ivm_spark.plan.conforming import conforming, unalterable
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.plan.described import Described, check_outputs
from dbt.adapters.ivm_spark.plan.examined import examined, in_order
from dbt.adapters.ivm_spark.plan.findings import Facts, Findings, QueryChange
from dbt.adapters.ivm_spark.plan.frozen import (
    check_frozen,
    check_place,
    types_of_state,
    with_frozen,
    without_frozen_changes,
)
from dbt.adapters.ivm_spark.plan.given_rows import unproven, with_backfill, with_kept_rows
from dbt.adapters.ivm_spark.plan.laid_out import anew, as_it_is, placed, staying
from dbt.adapters.ivm_spark.plan.nets import Nets
from dbt.adapters.ivm_spark.plan.parts import (
    check_build_by,
    goes_on,
    heads_at,
    in_parts,
    unfinished,
)
from dbt.adapters.ivm_spark.plan.plan import Full, NoChange, Plan
from dbt.adapters.ivm_spark.plan.query_change import (
    Kept,
    check_query_change,
    counted,
    kept,
    recorded_query,
    stored_view,
)
from dbt.adapters.ivm_spark.plan.reading import Reading, lay_out, read
from dbt.adapters.ivm_spark.plan.refusals import (
    RefusedError,
    in_full,
    own_defects,
    refused,
    warnings,
)
from dbt.adapters.ivm_spark.plan.relations import catalog_of, described_function
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.result_settings import result_settings
from dbt.adapters.ivm_spark.plan.reused import with_reused
from dbt.adapters.ivm_spark.plan.source_watermarks import source_watermarks, with_new_sources
from dbt.adapters.ivm_spark.plan.taken_over import with_taken_over
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.fingerprint import same_settings
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel
from dbt.adapters.ivm_spark.watermark.history import identified, since_last_refresh
from dbt.adapters.ivm_spark.watermark.shown import mark_in
from dbt.adapters.ivm_spark.watermark.watermark import (
    SourceWatermark,
    StateHistory,
    StoredQuery,
    Watermark,
    newest,
)

_PASSING = frozenset({ReasonCode.CLOCK_MOVED, ReasonCode.QUERY_FINGERPRINT_CHANGED})
"""Reasons that say nothing about the query, only about this refresh."""

_Key = tuple[str, str, bool]
"""State, fingerprint of the query, and whether changes are appended."""


class Planner:
    """Plans refreshes through one connection.

    Args:
        query: sends a statement.
        pins: the pins of the run, shared by the whole run.
        counts: whether to count the sources of a rebuild for its watermark. A plan that is only
            looked at does not count, so that it reads metadata only.
        token: see `Target`.
        nets: the net changes of the run, shared by the whole run.
    """

    def __init__(
        self,
        query: Query,
        pins: Pins,
        counts: bool = True,
        token: str = "",
        nets: Nets | None = None,
    ) -> None:
        self._nets = nets or Nets()
        self._token = token
        self._query = query
        self._described = Described(query)
        self._reader = SourceReader(query)
        self._pins = pins
        self._counts = counts
        self._examined: dict[_Key, tuple[Facts, Layout | None, Reading]] = {}

    def plan(self, request: Request, rejected: Reason | None = None) -> Plan:
        """Return the plan of one refresh.

        `rejected` is the reason not to use the SQL made from the query.

        Raises RefusedError if a config forbids the refresh that is needed, or if a view can't have
        the query's columns. Spark's own errors about the query pass through.
        """
        build = unfinished(self._query, request) if self._counts else None
        if build is not None:
            plan = self._plan(replace(request, resumes=build), rejected)
            if not isinstance(plan, Full) or goes_on(plan):
                return plan
        return self._plan(request, rejected)

    def _plan(self, request: Request, rejected: Reason | None) -> Plan:
        """Return the plan of one refresh, which may go on with the build that the request names."""
        try:
            with not_too_deep(), own_defects():
                return self._planned(request, rejected)
        except NotMaintained as error:
            # A version of this package with other rules may have laid out the state.
            strict = request.config.refresh_policy is RefreshPolicy.INCREMENTAL_STRICT
            if strict and not request.full_refresh:
                raise RefusedError(refused(error.reason)) from error
            late = None if error.reason.code in _PASSING else error.reason
            whole = replace(request, full_refresh=True)
            try:
                with own_defects():
                    rebuilt = self._planned(whole, late)
            except NotMaintained as again:
                late = None if again.reason.code in _PASSING else again.reason
                rebuilt = self._planned(replace(whole, own_query=True), late)
            loud = in_full(error.reason) if error.reason.code.is_defect else ""
            warning = "; ".join(filter(None, (rebuilt.warning, loud)))
            return replace(rebuilt, reason=error.reason, warning=warning)

    def _planned(self, request: Request, found_late: Reason | None) -> Plan:
        """Return the plan of one refresh.

        `found_late` is why a query can't be maintained although it could be read and laid out.
        """
        history = self._history(request)
        if request.limited and request.state_exists:
            recorded = history.watermark or Watermark("", 0, "", {})
            outputs = self._described.outputs(request.sql)
            return NoChange(recorded, outputs=outputs)
        check_place(request)
        if history.watermark is not None and history.watermark.limited:
            full = request.full_refresh or bool(request.config.frozen_where)
            request = replace(request, limited_before=True, full_refresh=full)
        found = self._found(request, history, found_late, keeps=not request.own_query)
        check_query_change(request, history.watermark, found)
        check_frozen(self._query, request, history, found)
        check_build_by(request, found, builds=False)
        needed, warning = conforming(self._query, request, history, found.table)
        found = staying(request, found) if warning else replace(found, alteration=needed)
        if found.frozen is not None:
            types = types_of_state(found)
            history = without_frozen_changes(
                self._query, request.state, history, found.frozen, types
            )
        choice = choose(
            situation_of(request, history, found), found, self._query, self._counts, self._nets
        )
        decision = choice.decision
        if decision.build and needed.impossible:
            raise RefusedError(unalterable(request.state, needed))
        if decision.build and found.of_former_query and request.keeps_frozen:
            found = as_it_is(request, found)  # the frozen rows have the columns of the state
        elif decision.build and found.of_former_query:
            # A rebuild starts from the model's own query.
            natural = self._found(request, history, found_late, keeps=False)
            found = replace(
                natural,
                known=found.known,
                cost_model=found.cost_model,
                alteration=found.alteration,
                derivation=None,
            )
            check_build_by(request, found, builds=True)
        taken_over = ""
        if decision.build and found.kept:
            found = anew(request, found)
        if decision.build:
            found = with_kept_rows(self._query, request, history, found, self._counts)
            found = with_backfill(self._query, request, found, self._counts)
            found, taken_over = with_taken_over(self._query, request, found, decision, self._counts)
            if found.taken is None:
                found = with_reused(self._query, request, history, found, decision)
        request, found, watermarks = self._at_versions(request, found, decision)
        plan = assemble(request, found, choice, watermarks, self._token, uuid.uuid4().hex)
        at_once = ""
        if isinstance(plan, Full) and request.in_parts:
            plan, at_once = in_parts(plan, request, found)
        if (
            self._counts
            and not plan.view
            and isinstance(plan, Full)
            and plan.parts is None
            and may_compare(request, found, decision)
        ):
            moved = bool(decision.moved) or not decision.ranges or decision.moves
            if not is_hopeless(found, moved) and compares(
                found, moved, cost_models(self._reader, request.readers)
            ):
                plan = compared(plan, request, found, moved, self._token)
        said = warnings(request.config, decision, found.reading.unsupported_reason, found.layout)
        backfilled = found.frozen is not None and found.frozen.given is not None
        if backfilled and found.frozen is not None and not request.keeps_frozen:
            said.append(unproven(request, found.frozen))
        return replace(plan, warning="; ".join(filter(None, (warning, at_once, taken_over, *said))))

    def _at_versions(
        self, request: Request, found: Findings, decision: Decision
    ) -> tuple[Request, Findings, dict[str, SourceWatermark]]:
        """Return the request and the findings at the versions to refresh to, and the watermarks.

        A build that goes on has the versions of its first part. The request names none any more if
        its sources are not those of then.
        """
        build = request.resumes if decision.build else None
        if build is not None and build.sources.keys() == found.heads.keys():
            heads = heads_at(self._query, found, build.sources)
            if heads is not None:
                return request, replace(found, heads=heads), dict(build.sources)
        request = replace(request, resumes=None)
        if found.reused is not None and found.watermark is not None:
            recorded = found.watermark.sources
            marks = with_new_sources(self._query, recorded, found.heads, self._counts)
        else:
            marks = source_watermarks(
                self._query, decision, found.heads, found.watermark, self._counts
            )
        return request, found, marks

    def _found(
        self,
        request: Request,
        history: StateHistory,
        found_late: Reason | None,
        keeps: bool = True,
    ) -> Findings:
        """Return the findings about the query and its sources, without the state's table.

        keeps: a state that was built from another query may be kept, or was before.
        """
        session = self._pins.settings(self._reader)
        catalog, sources = self._catalog(request)
        reading = read(request.sql, catalog, session)
        watermark = history.watermark
        same = watermark is not None and watermark.fingerprint == reading.fingerprint
        known = same
        if watermark is not None and same and watermark.query.above is not None:
            # A rebuild starts from the model's own query.
            known = keeps and (not request.full_refresh or request.keeps_frozen)
            if known and reading.view is not None:
                reading = replace(reading, view=stored_view(reading.view, watermark.query))
        plain = reading.view
        reading, clock = self._at_the_clock(reading, watermark if known else None)
        layout: Layout | None = None
        stored = StoredQuery() if watermark is None or not known else watermark.query
        change: QueryChange | None = None
        if (
            watermark is None
            or not known
            or (watermark.unsupported_reason is not None and watermark.package != version)
        ):
            key = request.state, reading.fingerprint, request.config.table.appends
            if key not in self._examined:
                settings = result_settings(session)
                asked = examined(self._query, request, reading, catalog, settings)
                self._examined[key] = asked
            facts, layout, reading = self._examined[key]
        elif reading.view is None:
            facts = Facts(self._described.outputs(request.sql), {})
            reading = replace(reading, repeatable=watermark.repeatable)
        else:
            facts = Facts(watermark.outputs, watermark.types, watermark.in_order)
            if watermark.query.above is None:  # the recorded tree is in order
                reading = replace(reading, view=in_order(reading.view, facts.in_order))
            if watermark.unsupported_reason is not None:
                code, detail = watermark.unsupported_reason
                unsupported_reason = Reason(ReasonCode(code), detail)
                reading = replace(
                    reading, unsupported_reason=unsupported_reason, repeatable=watermark.repeatable
                )
        if found_late is not None:
            layout, reading = None, replace(reading, unsupported_reason=found_late)
        if layout is None and reading.view is not None and reading.unsupported_reason is None:
            appends = request.config.table.appends
            checked = watermark is not None and watermark.package == version
            layout = lay_out(
                reading.view,
                facts.types,
                request.state,
                appends,
                checked=checked,
                most=request.most_operators,
            )
        if layout is None:
            check_outputs(facts.outputs)
            stored = StoredQuery()
            if clock.values:
                # The query's own text reads the clock at another time with every run.
                reading, clock = replace(reading, repeatable=False), Clock()
        if layout is not None and plain is not None and plain.above is None and not stored.tree:
            stored = recorded_query(in_order(plain, facts.in_order))
        if keeps and watermark is not None and not same and layout is not None:
            assert plain is not None
            try:
                ordered = in_order(plain, facts.in_order)
                kept = self._kept(request, watermark, reading.fingerprint, ordered, facts)
            except OtherQuery as other:
                change = QueryChange(False, str(other))
            except DbtDatabaseError as error:
                # Spark's judgement of a query that the model no longer has must not fail the run.
                if not says_condition(error):
                    raise
                change = QueryChange(False, "Spark can't read what the former query read")
            else:
                change, same = QueryChange(True, kept.how, kept.edited), True
                reading = replace(reading, view=kept.view)
                facts = replace(facts, types=kept.types)
                layout, clock, stored = kept.layout, kept.clock, kept.stored
                catalog = catalog.with_relations(kept.view.sources.values())
        names = sorted(reading.view.sources) if reading.view is not None else sources
        heads = {
            name: self._head(
                catalog.relations[relation_key(name)],
                watermark.sources.get(name) if watermark else None,
                request,
            )
            for name in names
        }
        if watermark is not None and change is not None and change.kept:
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
        found = Findings(
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
        return with_frozen(request, found.derived)

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
            if relation.kind is not RelationKind.DELTA:
                raise OtherQuery(f"{name} is no Delta table any more")
            return relation

        for name, mark in watermark.sources.items():
            if self._head(described(name), mark, request).version < mark.version:
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
        if watermark is None:
            return head
        return identified(self._reader, relation.name, head, watermark)

    def _history(self, request: Request) -> StateHistory:
        if request.occupied_by and not mark_in(request.information):
            raise RefusedError(
                f"{request.occupied_by} already exists at {request.state}, where this model's "
                "state table must go. This adapter did not create it. Rename or drop it, or give "
                "the model another alias."
            )
        if request.occupied_by:
            return StateHistory(None, f"replaced by {request.occupied_by}")
        if not request.state_exists:
            return StateHistory(None)
        return newest(since_last_refresh(self._reader, request.state))
