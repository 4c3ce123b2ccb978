"""Decides between an incremental refresh, a full one and none. Pure.

The watermark, the version ranges and the configs decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.config import IvmConfig, RefreshPolicy
from dbt.adapters.ivm_spark.source.version_range import (
    Head,
    VersionRange,
    insert_only,
    version_range,
)
from dbt.adapters.ivm_spark.sql.fingerprint import same_columns, same_query
from dbt.adapters.ivm_spark.watermark.cost_model import (
    CHANGED,
    CostModel,
    Estimates,
    Touched,
    Work,
    estimates,
)
from dbt.adapters.ivm_spark.watermark.history import is_another, replacement
from dbt.adapters.ivm_spark.watermark.watermark import Watermark

UNTRIED = 0.8
"""The most that a view's first incremental refresh may be estimated at, as a multiple of a
rebuild's estimate."""
HOPED = 0.6
"""The same if the refresh reads as little of the big tables as it may. How much it reads depends on
where the changed keys lie, which only a try shows."""
RISKED = 1.5
"""The most that such a try may be estimated at if it reads as much as is usual."""
TRIED = 1.0
"""The same once an incremental refresh was timed."""
SMALL_ROWS = 100_000
"""Rows of all sources together up to which a rebuild is timed before the first incremental
refresh."""
HOPE = 0.85
"""The most that an incremental refresh may be estimated at if the choice depends on a question, as
a multiple of a rebuild's estimate. Above it, the question is not worth its tenth of a second."""


def no_work(changed: Mapping[str, int], insert_only: bool) -> Work:
    """Return the work of a query without a delta."""
    return Work(changed=sum(changed.values()))


def never_only_adds(insert_only: bool) -> bool:
    """Return False, for a query without a delta."""
    return False


@dataclass(frozen=True)
class Situation:
    """All that a decision depends on.

    Attributes:
        config: the model's configs.
        fingerprint: the query's fingerprint.
        unsupported_reason: why the query itself can't be maintained.
        watermark: the watermark of the state, None on the first build or when the state is lost.
        exists: there was a state before.
        modified: a write into the state by somebody else.
        heads: the heads of the sources, by quoted name.
        full_refresh: the user asks for a rebuild.
        repeatable: the result is unchanged if no source moved.
        cost_model: the cost model of the view.
        used: the columns that the query reads of a source, if that is certain.
        unread: a write by another version of this package.
        configuration: the changes of the state's table that only a rebuild can make.
        work: gives the work of the delta, from the changed rows of each source that moved, and
            whether they only gained rows.
        only_adds: gives whether the view only gains rows, from whether its sources do.
        netted: the version ranges of sources whose net change is known.
        no_ops: sources that moved, but whose changes have no net effect on the view.
        rewrites: see `Work`.
        exchanges: see `Work`.
        moves: the clock has moved as the query reads it, or an edit of the query moves rows of a
            state that the refresh keeps.
        edited: rows of the sources that an edit of the query moves, if the refresh keeps the state.
        query_change: what the state lacks for an edited query; empty if that is not known.
        clock_reason: why an incremental refresh can't follow the clock.
        touched: rows of touched partitions, None if they were not counted.
    """

    config: IvmConfig
    fingerprint: str
    unsupported_reason: Reason | None
    watermark: Watermark | None
    exists: bool
    modified: str
    heads: dict[str, Head]
    full_refresh: bool = False
    repeatable: bool = True
    cost_model: CostModel = field(default_factory=CostModel)
    used: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unread: str = ""
    configuration: str = ""
    work: Callable[[Mapping[str, int], bool], Work] = no_work
    only_adds: Callable[[bool], bool] = never_only_adds
    netted: Mapping[str, VersionRange] = field(default_factory=dict)
    no_ops: frozenset[str] = frozenset()
    rewrites: bool = False
    exchanges: bool = False
    moves: bool = False
    edited: int = 0
    query_change: str = ""
    clock_reason: Reason | None = None
    touched: Touched | None = None


@dataclass(frozen=True)
class Decision:
    """A choice between a rebuild and an incremental refresh.

    Attributes:
        build: rebuild the state; otherwise merge the version ranges that moved.
        first: the rebuild is the first build.
        reason: why the state is rebuilt, None for the first build.
        ranges: the version range of each source, by quoted name; empty if the decision needed none.
        work: the work of the refresh.
        estimates: the seconds that both ways would take, if that is known.
        moves: see `Situation`.
    """

    build: bool
    first: bool
    reason: Reason | None
    ranges: dict[str, VersionRange]
    work: Work = field(default_factory=Work)
    estimates: Estimates | None = None
    moves: bool = False

    @property
    def changes_nothing(self) -> bool:
        """Return whether the state stays as it is."""
        return not (self.build or self.moved or self.moves)

    @property
    def for_cost(self) -> bool:
        """Return whether the state is rebuilt for its cost alone."""
        return _is_for_cost(self.reason)

    @property
    def moved(self) -> frozenset[str]:
        """Return the sources whose rows may have changed."""
        return frozenset(name for name, w in self.ranges.items() if w.moved)


def decide(situation: Situation) -> Decision:
    """Choose between a rebuild and an incremental refresh.

    If no source moved and the query is repeatable, neither is needed, even if the query is never
    maintained.
    """
    if not situation.exists:
        return Decision(True, True, None, {})
    reason = _before_windows(situation)
    if reason is not None:
        return Decision(True, False, reason, {})
    assert situation.watermark is not None
    if _is_ahead(situation.watermark, situation.heads):
        return Decision(False, False, None, {})
    ranges = {
        name: version_range(
            name, situation.watermark.sources[name].version, head, situation.used.get(name)
        )
        for name, head in situation.heads.items()
    } | dict(situation.netted)
    moves = situation.moves
    decision = Decision(False, False, None, ranges, moves=moves)
    if decision.changes_nothing and situation.repeatable:
        return decision
    rows = sum(watermark.rows for watermark in situation.watermark.sources.values())
    felt = {name: ranges[name] for name in decision.moved - situation.no_ops}
    changed = {name: w.rows for name, w in felt.items()}
    grows = insert_only(felt.values()) and not moves
    policy = situation.config.refresh_policy
    reason = situation.unsupported_reason or situation.clock_reason or _broken(ranges)
    if reason is None and policy is RefreshPolicy.FULL:
        reason = Reason(ReasonCode.FULL_REFRESH_REQUESTED, "refresh_policy: full")
    work = Work(
        rows,
        sum(changed.values()) + situation.edited,
        adds=situation.only_adds(grows),
        rewrites=situation.rewrites,
        exchanges=situation.exchanges,
    )
    if reason is None and policy is RefreshPolicy.AUTO:
        # This comes before the delta is derived, which takes longer than the rest of a plan. Often
        # the least time of an incremental refresh already exceeds a rebuild's.
        reason = _costs(situation, work)
    if reason is None:
        found = situation.work(changed, grows)
        touched = _touched(situation, found.changed)
        work = replace(
            found,
            rows=rows,
            changed=found.changed + situation.edited,
            rewrites=work.rewrites,
            exchanges=work.exchanges,
            touched=touched.rows,
            early=touched.early,
        )
        if policy is RefreshPolicy.AUTO:
            reason = _costs(situation, work)
    weighed = reason in (None, situation.unsupported_reason) or _is_for_cost(reason)
    thought = estimates(situation.cost_model, work) if weighed else None
    return Decision(reason is not None, False, reason, ranges, work, thought, moves)


def hangs_on(situation: Situation, decision: Decision, no_op_updates: frozenset[str]) -> bool:
    """Return whether to ask if the changes of these sources have no net effect.

    It is worth it if the view would be rebuilt for its cost, and would not be without these
    changes.
    """
    if not decision.for_cost:
        return False
    hoped = decide(replace(situation, no_ops=situation.no_ops | no_op_updates))
    thought = hoped.estimates
    return not hoped.build and (thought is None or thought.incremental <= HOPE * thought.full)


def _touched(situation: Situation, changed: int) -> Touched:
    if situation.touched is not None:
        return situation.touched
    cost_model = situation.cost_model
    return Touched(round(cost_model.spread * changed), round(cost_model.early * changed))


def _is_for_cost(reason: Reason | None) -> bool:
    return reason is not None and reason.code is ReasonCode.COST_MODEL


def _before_windows(situation: Situation) -> Reason | None:
    watermark = situation.watermark
    if situation.full_refresh:
        return Reason(ReasonCode.FULL_REFRESH_REQUESTED, "--full-refresh")
    if situation.modified:
        return Reason(ReasonCode.STATE_MODIFIED, situation.modified)
    if situation.unread:
        return Reason(ReasonCode.STATE_FORMAT_CHANGED, situation.unread)
    if watermark is None:
        return Reason(ReasonCode.STATE_MISSING)
    replaced = [
        name
        for name, head in situation.heads.items()
        if name in watermark.sources and is_another(head, watermark.sources[name])
    ]
    if replaced:
        return _replaced(replaced, situation, watermark)
    if watermark.fingerprint != situation.fingerprint:
        return situation.unsupported_reason or _changed(
            watermark.fingerprint, situation.fingerprint, situation.query_change
        )
    if watermark.unsupported_reason is not None and situation.unsupported_reason is None:
        return Reason(ReasonCode.STATE_FORMAT_CHANGED, "the query now has an incremental rule")
    if situation.heads.keys() != watermark.sources.keys():
        return Reason(ReasonCode.QUERY_FINGERPRINT_CHANGED, "other sources")
    if situation.configuration:
        return Reason(ReasonCode.CONFIGURATION_CHANGED, situation.configuration)
    return None


def _replaced(names: list[str], situation: Situation, watermark: Watermark) -> Reason:
    """Return the reason for sources that are other tables than before, or have other files."""
    codes = {n: replacement(situation.heads[n], watermark.sources[n]) for n in names}
    for code in (ReasonCode.SOURCE_REPLACED, ReasonCode.DATA_SCHEMA_CHANGED):
        if found := [name for name, of_name in codes.items() if of_name is code]:
            return Reason(code, ", ".join(found))
    return situation.unsupported_reason or Reason(ReasonCode.FILES_CHANGED, ", ".join(names))


def _is_ahead(watermark: Watermark, heads: dict[str, Head]) -> bool:
    """Return whether another run has read a source at a later version than this run's pins.

    That run's refresh stands, and this run has nothing to add.
    """
    return any(head.is_before(watermark.sources[name].version) for name, head in heads.items())


def _changed(before: str, now: str, lacks: str) -> Reason:
    """Return the reason for a changed fingerprint, by the part that changed.

    The parts are the query, its sources' columns, and the settings.

    Args:
        before: the fingerprint in the watermark.
        now: the query's fingerprint.
        lacks: see `Situation.query_change`.
    """
    if not same_query(before, now):
        what = lacks or "the query or a view that it reads"
        return Reason(ReasonCode.QUERY_FINGERPRINT_CHANGED, what)
    if not same_columns(before, now):
        return Reason(ReasonCode.DATA_SCHEMA_CHANGED)
    return Reason(ReasonCode.QUERY_FINGERPRINT_CHANGED, "session settings")


def _broken(ranges: dict[str, VersionRange]) -> Reason | None:
    return next((w.broken for w in ranges.values() if w.broken is not None), None)


def _is_hopeful(cost_model: CostModel, work: Work, thought: Estimates) -> bool:
    """Return whether a first try may save much, and can't cost much more than a rebuild."""
    hoped = estimates(cost_model, replace(work, met=work.least))
    return (
        work.least < work.met
        and hoped is not None
        and hoped.incremental <= HOPED * thought.full
        and thought.incremental <= RISKED * thought.full
    )


def _costs(situation: Situation, work: Work) -> Reason | None:
    """Return the reason to rebuild for cost, or None.

    A rebuild pays if more than the threshold of the sources' rows changed, or if it is estimated to
    be faster than an incremental refresh. A small view is rebuilt once to time it.
    """
    cost_model = situation.cost_model
    thought = estimates(cost_model, work)
    changed = f"{work.changed} of {work.rows} rows changed"
    if work.changed > work.rows * situation.config.change_threshold:
        return Reason(ReasonCode.COST_MODEL, changed)
    known = cost_model.timed and cost_model.tried
    if work.adds and not work.materialized and work.scans <= 1 and not known:
        return None  # an INSERT writes what changed; a rebuild writes that and more
    untimed = work.rows <= SMALL_ROWS and not (cost_model.timed or cost_model.tried)
    # A state that was taken over had no build. A rebuild may be clearly less to do all the same.
    if untimed or (thought is None and CHANGED * work.changed > work.rows):
        return Reason(ReasonCode.COST_MODEL, f"{changed}, and no rebuild has been timed yet")
    limit = TRIED if cost_model.tried else UNTRIED
    if thought is None or thought.incremental <= limit * thought.full:
        return None
    if not cost_model.tried and _is_hopeful(cost_model, work, thought):
        return None
    return Reason(
        ReasonCode.COST_MODEL,
        f"{changed}: about {thought.incremental:.1f} seconds "
        f"incrementally, {thought.full:.1f} in full",
    )
