"""Chooses how to refresh, and asks Spark a question first if the choice depends on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.plan.clock import clock_reason
from dbt.adapters.ivm_spark.plan.decide import Decision, Situation, decide, hangs_on, no_work
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.large_state import is_exchanged
from dbt.adapters.ivm_spark.plan.no_op_updates import NoOpUpdates, find_no_op_updates
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges, netted, shared_feeds
from dbt.adapters.ivm_spark.plan.touched_rows import counted_touched_rows
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.state.rewrite import is_rewritten
from dbt.adapters.ivm_spark.state.write import inserts
from dbt.adapters.ivm_spark.watermark.shown import mark_in
from dbt.adapters.ivm_spark.watermark.watermark import StateHistory


@dataclass(frozen=True)
class Choice:
    """How to refresh, and which changes have no net effect on the view.

    Attributes:
        situation: all that the decision depends on.
        decision: whether to rebuild or to refresh incrementally.
        no_ops: the sources whose changes have no net effect, as far as that was asked.
        no_op_updates: the question that an incremental refresh still has to ask before it reads
            much, None without one.
        nets: the relations of net changes, by source.
        feeds: the relations of changed rows that models of the run share, by source.
        scans: the views that are read in place of sources at the versions to refresh to.
    """

    situation: Situation
    decision: Decision
    no_ops: frozenset[str] = frozenset()
    no_op_updates: NoOpUpdates | None = None
    nets: Mapping[str, str] = field(default_factory=dict)
    feeds: Mapping[str, str] = field(default_factory=dict)
    scans: Mapping[str, str] = field(default_factory=dict)


def situation_of(request: Request, history: StateHistory, found: Findings) -> Situation:
    """Return all that a decision depends on."""
    reading, watermark, layout = found.reading, found.watermark, found.layout
    rows = found.cost_model.state_rows
    exchanges = request.transacts and layout is not None and is_exchanged(layout, rows, found.table)

    def view_only_adds(insert_only: bool) -> bool:
        return layout is not None and inserts(layout, insert_only)

    return Situation(
        config=request.config,
        fingerprint=reading.fingerprint,
        unsupported_reason=reading.unsupported_reason,
        repeatable=reading.repeatable,
        watermark=watermark,
        exists=request.state_exists or bool(mark_in(request.information)),
        modified=history.modified,
        unread=history.unread,
        configuration=found.alteration.rebuild,
        heads=found.heads,
        full_refresh=request.full_refresh,
        cost_model=found.cost_model,
        used=reading.used,
        work=no_work if found.derivation is None else found.derivation.work,
        only_adds=view_only_adds,
        rewrites=request.transacts and (is_rewritten(rows) or exchanges),
        exchanges=exchanges,
        moves=found.clock.moved or (found.derivation is not None and found.derivation.moves),
        edited=0 if found.query_change is None else found.query_change.rows,
        query_change="" if found.query_change is None else found.query_change.how,
        clock_reason=clock_reason(layout, found.clock) if found.clock.moved else None,
    )


def choose(
    situation: Situation,
    request: Request,
    found: Findings,
    query: Query,
    reads_rows: bool,
    changes: SharedChanges,
) -> Choice:
    """Decide between a rebuild and an incremental refresh, with a question if one is needed.

    A rebuild may depend on whether updates have a net effect, or on the net change of a source that
    was replaced. In that case the function asks Spark and decides again.

    Args:
        situation: all that the decision depends on.
        request: the request of the run.
        found: the findings about the view and its sources.
        query: sends a statement.
        reads_rows: whether the function may ask; the question reads the rows that changed.
        changes: those that the models of the run share.
    """
    nets = dict[str, str]()
    if reads_rows:
        situation, nets = netted(situation, found, query, changes)

    def feeds(decision: Decision) -> dict[str, str]:
        if decision.build or not reads_rows:
            return {}
        apart = situation.no_ops | nets.keys()
        return shared_feeds(decision, found, query, changes, request.read_by_many, apart)

    chosen = _chosen(situation, found, query, reads_rows, feeds)
    return replace(chosen, no_ops=chosen.no_ops | situation.no_ops, nets=nets)


def _chosen(
    situation: Situation,
    found: Findings,
    query: Query,
    reads_rows: bool,
    feeds_of: Callable[[Decision], dict[str, str]],
) -> Choice:
    decision = decide(situation)
    if found.watermark is None or found.layout is None or not decision.moved:
        return Choice(situation, decision)
    feeds = feeds_of(decision)
    if decision.moves:
        # The question knows the new expressions only.
        return Choice(situation, decision, feeds=feeds)
    if decision.build and not (decision.for_cost and reads_rows):
        return Choice(situation, decision)
    bind = Versions.of(decision.ranges, found.heads, stored=feeds).bind
    if reads_rows:
        counted = counted_touched_rows(situation, decision, found.derivation, query, bind)
        if counted is not situation:
            situation, decision = counted, decide(counted)
    facts = found.source_facts(found.watermark)
    no_op_updates = find_no_op_updates(found.layout, decision.ranges, bind, facts)
    if no_op_updates is None or not decision.build:
        return Choice(situation, decision, no_op_updates=no_op_updates, feeds=feeds)
    if not hangs_on(situation, decision, frozenset(no_op_updates.sources)):
        return Choice(situation, decision)
    try:
        no_ops = no_op_updates.without_effect(
            int(row["number"]) for row in query(no_op_updates.sql)
        )
    except DbtDatabaseError:
        return Choice(situation, decision)  # if the changes can't be read, the rebuild stands
    decision = decide(replace(situation, no_ops=situation.no_ops | no_ops))
    return Choice(situation, decision, no_ops, feeds=feeds_of(decision))
