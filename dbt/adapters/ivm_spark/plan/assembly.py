"""Assembles a plan from findings and a decision: the watermark, settings and SQL. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.physical.file_pruning import SKIPPING
from dbt.adapters.ivm_spark.physical.lower import Statements, lower_rebuild
from dbt.adapters.ivm_spark.plan.change import Change
from dbt.adapters.ivm_spark.plan.choice import Choice
from dbt.adapters.ivm_spark.plan.comparing import keeps_table
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.frozen import frozen_changes, frozen_zone
from dbt.adapters.ivm_spark.plan.large_state import (
    for_large,
    grown,
    is_exchanged,
    is_large,
    tidying,
)
from dbt.adapters.ivm_spark.plan.plan import (
    Comparison,
    Full,
    Incremental,
    NoChange,
    Plan,
    RefreshKind,
    Technique,
    technique_of,
)
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.tuning import rebuilt, tuned, written
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.state.difference import difference, is_counted, stored_types
from dbt.adapters.ivm_spark.state.held import named
from dbt.adapters.ivm_spark.state.insert import nothing
from dbt.adapters.ivm_spark.state.layout import Style
from dbt.adapters.ivm_spark.state.shown_row import shown_row, stored_row
from dbt.adapters.ivm_spark.state.storage import NTZ
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.state.visible import stored_query
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration
from dbt.adapters.ivm_spark.watermark.cost_model import RefreshStats, Work
from dbt.adapters.ivm_spark.watermark.shown import (
    has_text,
    is_described,
    is_shown,
    mark_in,
    view_mark,
)
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark, Watermark

COMPACT_AFTER = 24
"""Refreshes that append to a state before the next one adds its rows up. By then its readers take
about a tenth of a second more for the files."""
SHORT = 10.0
"""Seconds of the longest rebuild that overwrites the table's rows in a transaction."""
OVERWRITE = "spark.sql.sources.partitionOverwriteMode"
"""The setting for overwrites. Under `dynamic`, which a user may have set, partitions that lose all
rows would stay."""

_NTZ_FEATURE = {"delta.feature.timestampNtz": "supported"}


def assemble(
    request: Request,
    found: Findings,
    choice: Choice,
    watermarks: Mapping[str, SourceWatermark],
    token: str,
    new_id: str,
) -> Plan:
    """Return the plan of a refresh.

    Args:
        request: the request of the run.
        found: the findings about the view and its sources.
        choice: how to refresh.
        watermarks: the watermark of each source.
        token: see `Target`.
        new_id: the id for a state that has none yet.

    Raises NotMaintained if a delta can't be written after all.
    """
    decision, watermark = choice.decision, found.watermark
    appended = _appends(found, decision)
    compact = appended and watermark is not None and watermark.appended >= COMPACT_AFTER
    large = _takes_vectors(request, found, decision)
    next_mark = Watermark(
        state_id=watermark.state_id if watermark is not None else new_id,
        refresh=watermark.refresh + 1 if watermark is not None else 1,
        fingerprint=found.reading.fingerprint,
        sources=_recorded_sources(found, watermarks),
        outputs=found.facts.outputs,
        types=found.facts.types,
        unsupported_reason=(
            found.reading.unsupported_reason.code.value,
            found.reading.unsupported_reason.detail,
        )
        if found.reading.unsupported_reason
        else None,
        repeatable=found.reading.repeatable,
        stats=RefreshStats(
            0,
            decision.build,
            not found.known,
            _work(decision, watermarks),
            netted_in_vain=_nets_in_vain(choice, watermark),
            reused=found.reused is not None,
            taken=found.taken is not None,
        ),
        cost_model=found.cost_model,
        configured=None if found.kept else request.config.table,
        appends=watermark.appends
        if watermark is not None and not decision.build
        else request.config.table.appends,
        appended=watermark.appended + 1
        if watermark is not None and appended and not compact
        else 0,
        large=large,
        in_order=found.facts.in_order,
        clock=found.clock.recorded,
        clock_at=found.clock.at,
        query=found.stored,
        frozen="" if found.frozen is None else found.frozen.text,
        frozen_zone=frozen_zone(found),
        frozen_on="" if found.frozen is None else to_sql(found.frozen.condition),
        limited=request.limited,
        given=_is_given(found),
    )
    plan: Plan = NoChange(
        watermark=next_mark,
        table=for_large(found.table) if large else found.table,
        alteration=found.alteration if not decision.build else Alteration(),
        outputs=found.facts.outputs,
        ranges=_shown(decision, found),
        estimates=decision.estimates,
        findings=found,
    )
    plan = _with_view(plan, request, found)
    if decision.build:
        return _rebuilt(plan, request, found, choice)
    if decision.changes_nothing:
        return _taken_over(plan, request, found)
    return _merged(plan, request, found, choice, compact, token)


def _is_given(found: Findings) -> bool:
    """Return whether frozen rows of the state were made from rows of the view, now or before."""
    if found.frozen is None:
        return False
    before = found.watermark is not None and found.watermark.given
    return before or found.frozen.given is not None


def _recorded_sources(
    found: Findings, watermarks: Mapping[str, SourceWatermark]
) -> dict[str, SourceWatermark]:
    """Return the watermarks to record, without those of sources that only a former query read."""
    if found.edit is None:
        return dict(watermarks)
    return {name: mark for name, mark in watermarks.items() if name in found.stored.columns}


def _taken_over(plan: Plan, request: Request, found: Findings) -> Plan:
    """Return the plan of a run in which no row of the state changes.

    If the state is kept for a changed query, or has more frozen rows, a commit without rows records
    that.
    """
    before = "" if found.watermark is None else found.watermark.frozen_on
    if found.layout is None or (found.edit is None and before == plan.watermark.frozen_on):
        return plan
    none = nothing(found.layout, request.state)
    bind = Versions.of({}, found.heads).bind
    return Incremental(
        **_common(plan),
        kind=RefreshKind.INCREMENTAL,
        technique=Technique.NO_OP,
        table=plan.table,
        prepared=Statements((), none, bind),
    )


def _appends(found: Findings, decision: Decision) -> bool:
    if found.watermark is None or found.layout is None or decision.build:
        return False
    return found.layout.appended


def _takes_vectors(request: Request, found: Findings, decision: Decision) -> bool:
    """Return whether the state's table takes deletion vectors from this refresh on.

    They are for refreshes that change stored rows. A table without them is read faster.
    """
    watermark, layout = found.watermark, found.layout
    stays = not decision.build or keeps_table(request, found, decision)
    if _is_large(found) or (watermark is not None and watermark.large and stays):
        return True
    merges = not (decision.build or decision.changes_nothing or decision.work.adds)
    exchanges = layout is not None and is_exchanged(
        layout, found.cost_model.state_rows, found.table
    )
    return merges and request.transacts and exchanges


def _is_large(found: Findings) -> bool:
    if found.layout is None or found.layout.appended:
        return False
    return is_large(found.cost_model.state_rows)


def _nets_in_vain(choice: Choice, before: Watermark | None) -> bool:
    """Return whether net changes were computed for a rebuild, or were in an earlier refresh."""
    vain = bool(choice.nets) or (before is not None and before.stats.netted_in_vain)
    return choice.decision.build and vain


def _work(decision: Decision, watermarks: Mapping[str, SourceWatermark]) -> Work:
    """Return the work to record; a rebuild reads all rows that there are now."""
    if not decision.build:
        return decision.work
    work = decision.work
    changed = work.changed if work.touched else 0
    return Work(_rows(watermarks), changed, touched=work.touched, early=work.early)


def _rows(watermarks: Mapping[str, SourceWatermark]) -> int:
    return sum(watermark.rows for watermark in watermarks.values())


def _writing(plan: Plan, found: Findings) -> dict[str, str]:
    """Return the settings of a statement that writes a query's rows."""
    watermarks = plan.watermark.sources
    return written(_rows(watermarks), len(watermarks), found.session)


def _shown(decision: Decision, found: Findings) -> dict[str, VersionRange]:
    if decision.ranges:
        return decision.ranges
    heads = found.heads.items()
    return {n: VersionRange(h.version, h.version, Effect.NOTHING, 0) for n, h in heads}


def _with_view(plan: Plan, request: Request, found: Findings) -> Plan:
    """Return the plan with the change of the view over the state, none if the view fits."""
    facts, layout = found.facts, found.layout
    view, row = found.view_text(request.state), stored_row(facts.outputs)
    if layout is not None:
        row = shown_row(layout, facts.types, facts.outputs)
    before = mark_in(request.information)
    mark = view_mark(found.reading.fingerprint, view, facts.outputs, request.described)
    texts = (view, named(view, [name for name, _ in facts.outputs]))
    # If the text stays, each commit of the state changes what readers see at once.
    rewritten = bool(before) and not has_text(request.information, texts)
    if is_shown(request.information, mark, texts):
        view = ""
    # ALTER VIEW keeps the relation's comment and drops the columns'.
    described = is_described(before) or is_described(mark)
    return replace(
        plan,
        view=view,
        shown=mark,
        alters=bool(before) and not described,
        held_at=found.version if rewritten else None,
        row=row.encode() if row is not None else "",
    )


def _rebuilt(plan: Plan, request: Request, found: Findings, choice: Choice) -> Plan:
    decision, watermarks = choice.decision, plan.watermark.sources
    return Full(
        **_common(plan),
        kind=RefreshKind.INITIAL if decision.first else RefreshKind.FULL,
        technique=Technique.INITIAL if decision.first else Technique.FULL,
        reason=found.reading.unsupported_reason if decision.first else decision.reason,
        select=_contents(plan, request, found, choice),
        keeps_table=_overwrites(plan, request, found, decision),
        table=_for_types(plan.table, found),
        tuning=rebuilt(
            _rows(watermarks),
            len(watermarks),
            found.reused is not None
            or any(relation.vectors for relation in found.catalog.relations.values()),
            found.session,
        ),
    )


def _contents(plan: Plan, request: Request, found: Findings, choice: Choice) -> str:
    """Return the SELECT of a state's new contents: what the query gives, and frozen rows."""
    if found.taken is not None:
        return to_sql(found.taken.rows, pretty=True)
    frozen = found.frozen
    given = frozen is not None and frozen.given is not None
    keeps = given or (frozen is not None and request.keeps_frozen)
    if found.layout is None:
        sql = stored_query(request.sql, found.facts.outputs)
        if frozen is None or not keeps:
            return sql
        types = stored_types(None, found.facts.types, found.facts.outputs)
        return frozen.beside_text(sql, request.state, tuple(types))
    facts = found.source_facts(plan.watermark)
    if found.reused is not None:
        assert found.version is not None
        tree = lower_rebuild(found.reused.layout, facts)
        state = {request.state: found.version}
        bind = Versions.of({}, found.heads, state, scans=choice.scans).bind
        return to_sql(render(tree, bind), pretty=True)
    layout = found.layout if frozen is None or keeps else frozen.layout
    assert layout is not None
    tree = lower_rebuild(layout, facts)
    bind = Versions.of(choice.decision.ranges, found.heads, scans=choice.scans).bind
    if frozen is not None and given:
        text = to_sql(render(tree, bind), pretty=True)
        return frozen.beside_text(text, request.state, layout.columns)
    if frozen is not None and keeps:
        tree = frozen.beside(tree, request.state)
    return to_sql(render(tree, bind), pretty=True)


def _overwrites(plan: Plan, request: Request, found: Findings, decision: Decision) -> bool:
    """Return whether a rebuild may overwrite the table's rows instead of replacing the table.

    That saves the same time for any number of rows. A long rebuild would gain little, and if the
    user's query fails, it would fail twice.
    """
    before = found.watermark
    if before is None or not keeps_table(request, found, decision):
        return False
    if plan.watermark.large != before.large or plan.watermark.appends != before.appends:
        return False
    return 0 < found.cost_model.full_seconds <= SHORT


def compared(plan: Full, request: Request, found: Findings, moved: bool, token: str) -> Full:
    """Return the plan of a rebuild that writes only the rows that differ.

    `moved` is whether a source has changed. See `comparing.may_compare`.
    """
    types = stored_types(found.layout, found.facts.types, found.facts.outputs)
    state = {} if found.version is None else {request.state: found.version}
    parts = difference(types, is_counted(found.layout), request.state, token)
    bind = Versions.of({}, found.heads, state).bind
    statements = Statements(parts.merge.materialized, parts.merge, bind)
    rows = found.cost_model.state_rows
    counts = statements.text(parts.counts)
    # The table stays as it is, also if its state has become large.
    assert found.watermark is not None
    return replace(
        plan,
        comparison=Comparison(parts.new, statements, counts, rows, moved),
        watermark=replace(plan.watermark, large=found.watermark.large),
        # The comparison reads the state too, which may have deletion vectors.
        tuning={key: value for key, value in plan.tuning.items() if key != SKIPPING},
    )


def _for_types(table: Configuration, found: Findings) -> Configuration:
    """Return the configuration of a table with the features that its columns need.

    The table may replace one without these features.

    Source: `DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT` of Delta.
    """
    types = (*found.facts.types.values(), *(kind for _, kind in found.facts.outputs))
    if not any(NTZ in kind for kind in types):
        return table
    return replace(table, properties={**table.properties, **_NTZ_FEATURE})


def _merged(
    plan: Plan, request: Request, found: Findings, choice: Choice, compact: bool, token: str
) -> Plan:
    decision, layout, watermark = choice.decision, found.layout, found.watermark
    assert layout is not None and watermark is not None
    large, rows = _is_large(found), found.cost_model.state_rows
    state = {} if found.version is None else {request.state: found.version}
    feeds = {**choice.feeds, **choice.nets}
    versions = Versions.of(decision.ranges, found.heads, state, feeds, choice.scans)
    vectors = plan.watermark.large
    target = Target(
        request.state,
        token,
        compact,
        large=found.facts.types if large else None,
        exchanges=vectors and request.transacts,
    )
    assert found.derivation is not None
    facts = found.source_facts(plan.watermark)
    change = Change(layout, found.derivation, decision.ranges, versions, facts, target)
    if vectors and not watermark.large:
        plan = replace(plan, alteration=grown(plan.alteration, found.table))
    first = change.statements(choice.no_ops)
    asks = any(first.asks)
    tuning = tuned(decision.work, rows, bool(first.materialized), asks, found.session)
    if compact:
        tuning |= {OVERWRITE: "static"}
    if vectors or layout.style is Style.ROWS:
        tuning |= tidying(plan.watermark.refresh)
    if first.is_insert:
        tuning |= _writing(plan, found)
    return Incremental(
        **_common(plan),
        kind=RefreshKind.INCREMENTAL,
        technique=technique_of(layout),
        tuning=tuning,
        table=plan.table,
        change=change,
        prepared=first,
        ignored=choice.no_ops,
        no_op_updates=choice.no_op_updates,
        frozen_changes=frozen_changes(found, plan, versions),
    )


def _common(plan: Plan) -> dict[str, Any]:
    """Return the fields that all kinds of plans have, without those that tell them apart."""
    own = {"kind", "technique", "reason", "tuning", "table"}
    return {f.name: getattr(plan, f.name) for f in fields(Plan) if f.name not in own}
