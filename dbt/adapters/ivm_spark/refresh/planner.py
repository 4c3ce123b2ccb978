"""Plans one refresh: asks Spark what it must, lets the pure rooms decide, and puts SQL into the
plan. The statements it sends read metadata only, never rows (but see marks.py)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.delta.facts import SourceFacts
from dbt.adapters.ivm_spark.delta.guards import check_types
from dbt.adapters.ivm_spark.estimate.cost import Effort, Experience, Work
from dbt.adapters.ivm_spark.estimate.outlay import Outlay, outlay
from dbt.adapters.ivm_spark.refresh.analysis import Reading, lay_out, read
from dbt.adapters.ivm_spark.refresh.config import RefreshPolicy
from dbt.adapters.ivm_spark.refresh.configuration import Alteration
from dbt.adapters.ivm_spark.refresh.conforming import conforming, unalterable
from dbt.adapters.ivm_spark.refresh.decide import (
    Decision,
    Situation,
    decide,
    hangs_on,
    no_outlay,
)
from dbt.adapters.ivm_spark.refresh.doubted import Doubts, doubted
from dbt.adapters.ivm_spark.refresh.findings import Facts, Findings
from dbt.adapters.ivm_spark.refresh.history import since_last_refresh
from dbt.adapters.ivm_spark.refresh.incremental import Incremental
from dbt.adapters.ivm_spark.refresh.known import catalog_of
from dbt.adapters.ivm_spark.refresh.large_state import for_large, grown, is_large, tidying
from dbt.adapters.ivm_spark.refresh.lineage import needs_id
from dbt.adapters.ivm_spark.refresh.marks import source_marks
from dbt.adapters.ivm_spark.refresh.meaningful import meaningful
from dbt.adapters.ivm_spark.refresh.pins import Pins
from dbt.adapters.ivm_spark.refresh.plan import AppendSql, Plan, RefreshKind, Technique
from dbt.adapters.ivm_spark.refresh.refused import RefusedError, refused
from dbt.adapters.ivm_spark.refresh.request import Request
from dbt.adapters.ivm_spark.refresh.same_meaning import same_meaning
from dbt.adapters.ivm_spark.refresh.shown import is_described, is_shown, mark_in, view_mark
from dbt.adapters.ivm_spark.refresh.technique import technique_of
from dbt.adapters.ivm_spark.refresh.tuning import tuned, written
from dbt.adapters.ivm_spark.refresh.warnings import warnings
from dbt.adapters.ivm_spark.refresh.watermark import SourceMark, StateHistory, Watermark, newest
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.window import Head, Window
from dbt.adapters.ivm_spark.state.fill import rebuild
from dbt.adapters.ivm_spark.state.held import named
from dbt.adapters.ivm_spark.state.layout import Layout, Style, probe
from dbt.adapters.ivm_spark.state.shown_row import shown_row, stored_row
from dbt.adapters.ivm_spark.state.visible import stored_query
from dbt.adapters.ivm_spark.view.catalog import Catalog, Relation, relation_key
from dbt.adapters.ivm_spark.view.dialect import to_sql
from dbt.adapters.ivm_spark.view.plain import bind_plain
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.size import not_too_deep
from dbt.adapters.ivm_spark.view.tree import Node

COMPACT_AFTER = 24
"""Refreshes that append to a state before one adds its rows up: by then its readers take about a
tenth of a second more for the files."""
OVERWRITE = "spark.sql.sources.partitionOverwriteMode"
"""Under `dynamic`, which a user may have set, partitions of which nothing is left would stay."""


class Planner:
    """Plans refreshes through one connection; `pins` are shared by the whole run.

    counts: whether the sources of a rebuild are counted, for what its commit records; a plan that
    is only looked at does without, so that it reads metadata only. token: see `Incremental`.
    """

    def __init__(self, query: Query, pins: Pins, counts: bool = True, token: str = "") -> None:
        self._token = token
        self._query = query
        self._reader = SourceReader(query)
        self._pins = pins
        self._counts = counts

    def plan(self, request: Request) -> Plan:
        """The plan of one refresh.

        Raises RefusedError where a config forbids what would have to be done or the query's
        columns can't be a view's; errors of Spark's own about the query pass through.
        """
        try:
            with not_too_deep():
                return self._planned(request, None)
        except NotMaintained as error:
            # A state may have been laid out by a version of this package with other rules.
            strict = request.config.refresh_policy is RefreshPolicy.INCREMENTAL_STRICT
            if strict and not request.full_refresh:
                raise RefusedError(refused(error.reason)) from error
            rebuilt = self._planned(replace(request, full_refresh=True), error.reason)
            return replace(rebuilt, reason=error.reason)

    def _planned(self, request: Request, found_late: Reason | None) -> Plan:
        """found_late: why a query can't be maintained that could be read and laid out."""
        if request.limited and request.state_exists:
            recorded = self._history(request).watermark or Watermark("", 0, "", {})
            outputs = self._outputs(request)
            return Plan(RefreshKind.NONE, Technique.NO_OP, recorded, outputs=outputs)
        session = self._reader.settings()
        catalog, sources = self._catalog(request)
        reading = read(request.sql, catalog, meaningful(session))
        history = self._history(request)
        mark = history.watermark
        known = mark is not None and mark.fingerprint == reading.fingerprint
        facts = None
        if mark is not None and known and reading.view is not None:
            facts = Facts(mark.outputs, mark.types)
        layout: Layout | None = None
        if facts is None:
            facts, layout, reading = self._examine(request, reading)
        elif mark is not None and mark.lasting is not None:
            code, detail = mark.lasting
            reading = replace(reading, lasting=Reason(ReasonCode(code), detail))
        if found_late is not None:
            layout, reading = None, replace(reading, lasting=found_late)
        needed, warning = conforming(self._query, request, history)
        change = Alteration() if warning else needed
        if layout is None and reading.view is not None and reading.lasting is None:
            stays = mark.appends if mark is not None and warning else request.config.table.appends
            layout = lay_out(reading.view, facts.types, request.state, stays)
        names = sorted(reading.view.sources) if reading.view is not None else sources
        heads = {
            name: self._head(
                catalog.relations[relation_key(name)],
                mark.sources.get(name) if mark else None,
                request.built,
            )
            for name in names
        }
        experience = history.experience if known else Experience()

        def outlay_of(changed: Mapping[str, int], insert_only: bool) -> Outlay:
            if layout is None or mark is None:
                return no_outlay(changed, insert_only)
            return outlay(layout, _source_facts(catalog, mark), changed, insert_only)

        situation = Situation(
            config=request.config,
            fingerprint=reading.fingerprint,
            lasting=reading.lasting,
            repeatable=reading.repeatable,
            watermark=mark,
            exists=request.state_exists or bool(mark_in(request.information)),
            modified=history.modified,
            unread=history.unread,
            configuration=change.rebuild,
            heads=heads,
            full_refresh=request.full_refresh,
            experience=experience,
            used=reading.used,
            outlay=outlay_of,
        )
        decision = decide(situation)
        doubts = None
        if mark is not None and layout is not None and decision.moved:
            bind = Versions.of(decision.windows, heads).bind
            doubts = doubted(layout, decision.windows, bind, _source_facts(catalog, mark))
        idle = self._idle(doubts, situation, decision)
        if idle:
            decision = decide(replace(situation, idle=idle))
        if decision.build and needed.impossible:
            raise RefusedError(unalterable(request.state, needed))
        if decision.build and layout is not None and reading.view is not None and warning:
            appends = request.config.table.appends
            layout = lay_out(reading.view, facts.types, request.state, appends)
        said = warnings(request.config, decision, reading.lasting, layout)
        warning = "; ".join(filter(None, (warning, *said)))
        found = Findings(
            catalog,
            reading,
            facts,
            layout,
            heads,
            mark,
            known,
            history.version,
            experience,
            session,
            change,
            kept=change is not needed and not decision.build,
        )
        plan = self._assemble(request, found, decision, warning, idle or frozenset())
        if plan.kind is not RefreshKind.INCREMENTAL:
            return plan
        return replace(
            plan,
            doubts=doubts if idle is None else None,
            work_without=lambda idle: decide(replace(situation, idle=idle)).work,
        )

    def _idle(
        self, doubts: Doubts | None, situation: Situation, decision: Decision
    ) -> frozenset[str] | None:
        """The sources whose changes come to nothing, asked for where the choice hangs on it; None
        where it was not asked."""
        if doubts is None or not self._counts:
            return None
        if not hangs_on(situation, decision, frozenset(doubts.sources)):
            return None
        try:
            return doubts.idle(int(row["number"]) for row in self._query(doubts.sql))
        except DbtDatabaseError:
            return None  # what can't be read is rebuilt, as it would be anyhow

    def _assemble(
        self,
        request: Request,
        found: Findings,
        decision: Decision,
        warning: str,
        idle: frozenset[str],
    ) -> Plan:
        """idle: the sources of which it is known by now that their changes come to nothing."""
        reading, facts, layout = found.reading, found.facts, found.layout
        heads, mark = found.heads, found.mark
        marks = source_marks(self._query, decision, heads, mark, self._counts)
        appended = compact = False
        if mark is not None and layout is not None and not decision.build:
            appended = layout.appended
            compact = appended and mark.appended >= COMPACT_AFTER
        rows = found.experience.state_rows
        large = layout is not None and not layout.appended and is_large(rows)
        table = for_large(request.config.table) if large else request.config.table
        view, row = found.view_text(request.state), stored_row(facts.outputs)
        if layout is not None:
            row = shown_row(layout, facts.types, facts.outputs)
        next_mark = Watermark(
            state_id=mark.state_id if mark is not None else uuid.uuid4().hex,
            refresh=mark.refresh + 1 if mark is not None else 1,
            fingerprint=reading.fingerprint,
            sources=marks,
            outputs=facts.outputs,
            types=facts.types,
            lasting=(reading.lasting.code.value, reading.lasting.detail)
            if reading.lasting
            else None,
            effort=Effort(0, decision.build, not found.known, _work(decision, marks)),
            experience=found.experience,
            configured=None if found.kept else request.config.table,
            appends=mark.appends
            if mark is not None and not decision.build
            else request.config.table.appends,
            appended=mark.appended + 1 if mark is not None and appended and not compact else 0,
            large=large or (mark is not None and mark.large and not decision.build),
        )
        before = mark_in(request.information)
        mark_of_view = view_mark(reading.fingerprint, view, facts.outputs, request.described)
        altered = named(view, [name for name, _ in facts.outputs])
        if is_shown(request.information, mark_of_view, (view, altered)):
            view = ""
        # ALTER VIEW keeps the relation's comment and drops the columns'.
        described = is_described(before) or is_described(mark_of_view)
        plan = Plan(
            kind=RefreshKind.NONE,
            technique=Technique.NO_OP,
            watermark=next_mark,
            view=view,
            shown=mark_of_view,
            alters=bool(before) and not described,
            held_at=found.version if view and before else None,
            table=table,
            alteration=found.alteration if not decision.build else Alteration(),
            row=row.encode() if row is not None else "",
            outputs=facts.outputs,
            windows=_shown(decision, heads),
            estimates=decision.estimates,
            warning=warning,
            findings=found,
        )
        source_rows = sum(source.rows for source in marks.values())
        writing = written(source_rows, len(marks), found.session)
        if decision.build:
            sql = stored_query(request.sql, facts.outputs)
            if layout is not None:
                tree = rebuild(layout, _source_facts(found.catalog, next_mark))
                sql = to_sql(render(tree, Versions.of(decision.windows, heads).bind), pretty=True)
            return replace(
                plan,
                kind=RefreshKind.INITIAL if decision.first else RefreshKind.FULL,
                technique=Technique.INITIAL if decision.first else Technique.FULL,
                reason=reading.lasting if decision.first else decision.reason,
                fill=sql,
                tuning=writing,
            )
        if not decision.moved:
            return plan
        assert layout is not None
        state = {} if found.version is None else {request.state: found.version}
        versions = Versions.of(decision.windows, heads, state)
        facts_of = _source_facts(found.catalog, next_mark)
        given = (layout, request.state, decision.windows, versions, facts_of)
        step = Incremental(*given, compact, self._token, facts.types if large else None)
        if large and mark is not None and not mark.large:
            plan = replace(plan, alteration=grown(plan.alteration, request.config.table))
        first = step.merge({}, idle)
        tuning = tuned(decision.work, rows, bool(first.kept), any(first.asks), found.session)
        if compact:
            tuning |= {OVERWRITE: "static"}
        if large or layout.style is Style.ROWS:
            tuning |= tidying(next_mark.refresh)
        if isinstance(first, AppendSql):
            tuning |= writing
        return replace(
            plan,
            kind=RefreshKind.INCREMENTAL,
            technique=technique_of(layout),
            tuning=tuning,
            merge=first,
            merge_with=step.merge,
            idle=idle,
        )

    def _catalog(self, request: Request) -> tuple[Catalog, list[str]]:
        """Every relation that the query reads, views followed; and the sources' names. None where
        one can't be described and the query is Spark's to judge; an answer that did not come says
        nothing of the query, and passes through."""

        def describe(name: str) -> Relation:
            return self._pins.relation(self._reader, name, request.built)

        try:
            return catalog_of(request.sql, describe)
        except Exception as error:
            if isinstance(error, DbtDatabaseError) and not says_condition(error):
                raise
            self._outputs(request)
            return Catalog(), []

    def _head(self, relation: Relation, mark: SourceMark | None, built: frozenset[str]) -> Head:
        since = mark.version if mark is not None else None
        head = self._pins.head(self._reader, relation, since, built)
        if mark is not None and needs_id(head, mark):
            return replace(head, table_id=self._reader.table_id(relation.name))
        return head

    def _history(self, request: Request) -> StateHistory:
        if request.usurper and not mark_in(request.information):
            raise RefusedError(
                f"{request.usurper} stands where the state belongs, and was not made by this "
                f"adapter: {request.state}. Rename or drop it, or give the model another alias."
            )
        if request.usurper:
            return StateHistory(None, f"replaced by {request.usurper}")
        if not request.state_exists:
            return StateHistory(None)
        return newest(since_last_refresh(self._reader, request.state))

    def _examine(self, request: Request, reading: Reading) -> tuple[Facts, Layout | None, Reading]:
        """Ask Spark about a query that is new: its columns, the types of its state, and whether
        the tree, written back, means the same."""
        facts = Facts(self._outputs(request), {})
        if reading.view is None:
            return facts, None, reading
        try:
            with not_too_deep():
                types = self._types(probe(reading.view.root))
                appends = request.config.table.appends
                layout = lay_out(reading.view, types, request.state, appends)
                check_types(layout.input, self._types)
                written = to_sql(render(reading.view.written, bind_plain))
            if not same_meaning(self._query, request.sql, written):
                raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "another plan")
            return Facts(facts.outputs, types), layout, reading
        except NotMaintained as error:
            certain = error.reason.code is not ReasonCode.QUERY_NOT_UNDERSTOOD
            changed = replace(reading, lasting=error.reason, repeatable=certain)
            return facts, None, changed

    def _outputs(self, request: Request) -> tuple[tuple[str, str], ...]:
        outputs = self._columns(request.sql)
        seen: set[str] = set()
        for name, _ in outputs:
            if name.lower().startswith("__ivm_"):
                raise RefusedError(
                    f"the query outputs a column named {name}; names that begin with __ivm_ are "
                    "the state's own. Give the column another name."
                )
            if name.lower() in seen:
                raise RefusedError(
                    f"the query outputs two columns named {name}. Give one of them another name."
                )
            seen.add(name.lower())
        return outputs

    def _columns(self, sql: str) -> tuple[tuple[str, str], ...]:
        rows: Sequence[Mapping[str, Any]] = self._query(f"describe query\n{sql}")
        return tuple((str(row["col_name"]), str(row["data_type"])) for row in rows)

    def _types(self, node: Node) -> dict[str, str]:
        return dict(self._columns(to_sql(render(node, bind_plain))))


def _work(decision: Decision, marks: dict[str, SourceMark]) -> Work:
    """The work that is recorded: a rebuild's is to read all rows that there are now."""
    if decision.build:
        return Work(sum(mark.rows for mark in marks.values()))
    return decision.work


def _source_facts(catalog: Catalog, mark: Watermark) -> dict[str, SourceFacts]:
    found = {}
    for name, source in mark.sources.items():
        columns = catalog.relations[relation_key(name)].columns
        found[name] = SourceFacts.of(source.rows, columns)
    return found


def _shown(decision: Decision, heads: dict[str, Head]) -> dict[str, Window]:
    if decision.windows:
        return decision.windows
    return {n: Window(h.version, h.version, Effect.NOTHING, 0) for n, h in heads.items()}
