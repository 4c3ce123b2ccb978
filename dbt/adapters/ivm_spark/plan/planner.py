"""Plans one refresh: asks Spark for facts, and lets the pure packages decide and write SQL.

Its statements read metadata only, never rows, except those of source_watermarks.py and choice.py.
"""

from __future__ import annotations

import uuid
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import not_too_deep
from dbt.adapters.ivm_spark.plan.assembly import assemble, compared
from dbt.adapters.ivm_spark.plan.choice import choose, situation_of
from dbt.adapters.ivm_spark.plan.comparing import compares, cost_models, is_hopeless, may_compare
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.conforming import conforming, unalterable
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.plan.finder import Finder
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.frozen import (
    check_frozen,
    check_place,
    types_of_state,
    without_frozen_changes,
)
from dbt.adapters.ivm_spark.plan.given_rows import unproven, with_backfill, with_kept_rows
from dbt.adapters.ivm_spark.plan.laid_out import anew, as_it_is, staying
from dbt.adapters.ivm_spark.plan.parts import (
    check_build_by,
    goes_on,
    heads_at,
    in_parts,
    unfinished,
)
from dbt.adapters.ivm_spark.plan.pinned_scans import Pin, pinned_scans
from dbt.adapters.ivm_spark.plan.plan import Full, NoChange, Plan
from dbt.adapters.ivm_spark.plan.query_change import check_query_change
from dbt.adapters.ivm_spark.plan.references import with_references
from dbt.adapters.ivm_spark.plan.refusals import (
    RefusedError,
    in_full,
    own_defects,
    refused,
    warnings,
)
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.reused import with_reused
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges
from dbt.adapters.ivm_spark.plan.source_watermarks import source_watermarks, with_new_sources
from dbt.adapters.ivm_spark.plan.taken_over import with_taken_over
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.watermark.history import since_last_refresh
from dbt.adapters.ivm_spark.watermark.shown import mark_in
from dbt.adapters.ivm_spark.watermark.watermark import (
    SourceWatermark,
    StateHistory,
    Watermark,
    newest,
)

_PASSING = frozenset({ReasonCode.CLOCK_MOVED, ReasonCode.QUERY_FINGERPRINT_CHANGED})
"""Reasons that say nothing about the query, only about this refresh."""


class Planner:
    """Plans refreshes through one connection.

    Args:
        query: sends a statement.
        pins: the pins of the run, shared by the whole run.
        counts: whether to count the sources of a rebuild for its watermark. A plan that is only
            looked at does not count, so that it reads metadata only.
        token: see `Target`.
        changes: of sources, shared by the whole run.
        pin: makes views of sources' rows; without it, sources are read by their names.
    """

    def __init__(
        self,
        query: Query,
        pins: Pins,
        counts: bool = True,
        token: str = "",
        changes: SharedChanges | None = None,
        pin: Pin | None = None,
    ) -> None:
        self._changes = changes or SharedChanges()
        self._pin = pin
        self._token = token
        self._query = query
        self._finder = Finder(query, pins, counts)
        self._reader = SourceReader(query)
        self._counts = counts

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
            # A defect may show with this change only, so it is recorded if a rebuild meets it too.
            passes = error.reason.code in (*_PASSING, ReasonCode.INTERNAL_ERROR)
            late = None if passes else error.reason
            whole = replace(request, full_refresh=True)
            try:
                with own_defects():
                    rebuilt = self._planned(whole, late)
            except NotMaintained as again:
                late = None if again.reason.code in _PASSING else again.reason
                with own_defects():
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
            outputs = self._finder.outputs(request.sql)
            return NoChange(recorded, outputs=outputs)
        check_place(request)
        if history.watermark is not None and history.watermark.limited:
            full = request.full_refresh or bool(request.config.frozen_where)
            request = replace(request, limited_before=True, full_refresh=full)
        found = self._finder.found(request, history, found_late, keeps=not request.own_query)
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
        situation = situation_of(request, history, found)
        if self._counts:
            found, situation = with_references(
                request, found, situation, self._query, self._changes
            )
        choice = choose(
            situation,
            request,
            found,
            self._query,
            self._counts,
            self._changes,
        )
        decision = choice.decision
        if decision.build and needed.impossible:
            raise RefusedError(unalterable(request.state, needed))
        if decision.build and found.of_former_query and request.keeps_frozen:
            found = as_it_is(request, found)  # the frozen rows have the columns of the state
        elif decision.build and found.of_former_query:
            # A rebuild starts from the model's own query.
            natural = self._finder.found(request, history, found_late, keeps=False)
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
        if self._pin is not None and not request.in_parts:
            scans = pinned_scans(found, decision, self._pin, self._token)
            choice = replace(choice, scans=scans)
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
