"""The estimated time of a refresh both ways, learned from the view's earlier refreshes. Pure.

A rebuild takes a fixed time and a time in proportion to the rows of its sources. An incremental
refresh takes a fixed time, and a time for each row that changed or that the change joins. The time
for such a row is a multiple of a row's time in a rebuild. Every view begins with the same
multiples. The fixed time and the view's own factor on the multiples are learned. Rows decide, never
bytes of touched files: one deleted row in a big file is not a big change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timezone

from mashumaro import field_options

FIXED_FULL = 0.7
"""Seconds of a rebuild without rows."""
FIXED_INCREMENTAL = 1.1
"""Seconds of an incremental refresh by one row, in one statement that reads one change feed. A view
begins with this value, before an incremental refresh is recorded."""
MATERIALIZED = 0.1
"""Fraction of the fixed time that each relation materialized before the statement adds."""
SCAN = 0.07
"""Fraction of the fixed time that each table or feed after the first adds. However few its rows
are, Delta chooses its files, and Spark plans it and starts its tasks."""
ADDED = 0.3
"""Fraction of the fixed time that an INSERT takes. A MERGE reads the state twice and rewrites
it."""
REWRITTEN = 0.5
"""Fraction of the fixed time that a transaction takes in the place of a MERGE."""
EXCHANGED = 0.7
"""The same if the transaction replaces rows of a large state. It looks them up, and writes deletion
vectors and new files."""
LOCATED = 0.5
"""Cost of a row of the state if a transaction replaces the rows that change: it looks them up once,
and writes no others."""
FIRST_BUILD = 0.5
"""The least fraction of a first build's time that a rebuild takes: most first builds run in a Spark
that is not warm. If an incremental refresh takes longer than that, one rebuild is made to find
out. A view's first incremental refresh counts alike if it was slower than estimated."""
COLD = 4.0
"""Seconds that a cold Spark adds to a first build or refresh, at most."""
AGING = 0.98
"""What each incremental refresh leaves of the estimate for a rebuild. If the last rebuild
ran in a cold or busy Spark, its time is too long. Once the estimate is low enough, a rebuild is
made and timed."""
OLD = 0.6
"""The least that is left of it. If incremental refreshes are faster than that, no rebuild is made
to find out."""
CHANGED = 5.0
"""Cost of a changed row, in rows of a rebuild: the refresh reads it from the feed, evaluates it and
merges it."""
MET = 1.0
"""Cost of a row of a table that the change joins, in rows of a rebuild."""
STORED = 1.0
"""Cost of a row of the state, in rows of a rebuild: the MERGE looks for its matches there."""
SCATTERED = 4.0
"""The same for a state whose rows are found by all their columns. Equal rows lie anywhere, so most
files have some and are rewritten."""
TOUCHED = 8.0
"""Cost of a row of a touched partition, in rows of a rebuild: its window functions are computed
twice, on the new and on the old rows, and the row changes wherever they differ."""
EARLY = 2.0
"""The same for a row before the first changed one of its partition, if it stays."""
LIGHT = 0.5e-6
"""Seconds that reading a row takes at most, however much a rebuild does with it."""
_MOST = 3.0
"""The multiple of its estimate that a refresh counts for at most. A refresh that a busy cluster
held up does not rule out incremental refreshes for good."""
_SMOOTHED = 0.5
"""The weight of a refresh that was faster than estimated; a slower one counts in full."""
_STEPS = 4


@dataclass(frozen=True)
class Work:
    """The work of a refresh.

    Attributes:
        rows: rows of all sources.
        changed: rows in the version ranges.
        met: source rows that a refresh reads besides the changes, counted at each read.
        materialized: relations that are materialized before the statement.
        scans: scans of tables and change feeds.
        scattered: the refresh finds rows of the state by all their columns.
        adds: the refresh looks for no row of the state.
        least: the least number of rows of `met` that are read.
        rewrites: a transaction of the adapter's own takes the place of the MERGE.
        exchanges: this transaction replaces the rows that change, and rewrites no others.
        touched: rows of the partitions whose window functions are computed again: the number that
            was counted, or the last count for each changed row times the changed rows. 0 if they
            were never counted.
        early: those of them that come before the first changed row and stay.
    """

    rows: int = 0
    changed: int = 0
    met: int = 0
    materialized: int = field(default=0, metadata=field_options(alias="kept"))
    scans: int = 0
    scattered: bool = False
    adds: bool = False
    least: int = 0
    rewrites: bool = False
    exchanges: bool = False
    touched: int = 0
    early: int = 0


@dataclass(frozen=True)
class Touched:
    """How many rows of touched partitions window functions are computed for.

    Attributes:
        rows: all of them.
        early: see `Work`.
    """

    rows: int = 0
    early: int = 0


@dataclass(frozen=True)
class RefreshStats:
    """The statistics of a refresh, which its watermark records.

    Attributes:
        started: when the refresh began, in milliseconds since 1970.
        full: the refresh was a rebuild.
        first: the query was new.
        work: the work of the refresh.
        compared: the rebuild wrote only the rows that differed.
        differed: the fraction of the rows that differed.
        netted_in_vain: the net changes of replaced sources were computed, and the refresh was a
            rebuild all the same; or they were not computed because of that.
        reused: the rebuild read a former query's state in place of its sources.
        taken: the first build took a table over, so its time says nothing about a rebuild's.
    """

    started: int = 0
    full: bool = True
    first: bool = False
    work: Work = field(default_factory=Work)
    compared: bool = False
    differed: float = 0.0
    netted_in_vain: bool = False
    reused: bool = False
    taken: bool = False

    @property
    def started_at(self) -> str:
        """Return when the refresh began, in UTC, as ISO 8601 writes it."""
        moment = datetime.fromtimestamp(self.started / 1000, timezone.utc)
        return moment.isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class CostModel:
    """The cost model of a view, learned from its refreshes.

    Attributes:
        full_seconds: the seconds of the last rebuild.
        full_rows: the rows of that rebuild's sources.
        fixed: the fixed seconds of an incremental refresh by one statement.
        factor: the view's factor on the estimated time for rows.
        state_rows: rows of the state, 0 if they are not known.
        timed: the last rebuild was not the first build, which also warms Spark up.
        tried: an incremental refresh was timed.
        spread: rows of touched partitions for each changed row, as last counted; 0 before that.
        early: the same for those of them that stay.
        since: incremental refreshes since the last rebuild.
    """

    full_seconds: float = 0.0
    full_rows: int = 0
    fixed: float = FIXED_INCREMENTAL
    factor: float = 1.0
    state_rows: int = 0
    timed: bool = False
    tried: bool = False
    spread: float = 0.0
    early: float = 0.0
    since: int = 0


@dataclass(frozen=True)
class Estimates:
    """The estimated seconds of a refresh both ways.

    Attributes:
        incremental: the seconds of an incremental refresh.
        full: the seconds of a rebuild.
    """

    incremental: float
    full: float


def estimates(cost_model: CostModel, work: Work) -> Estimates | None:
    """Return the estimates of a refresh both ways, None before a rebuild was recorded."""
    if not cost_model.full_seconds or not cost_model.full_rows:
        return None
    age = max(AGING**cost_model.since, OLD)
    full = age * (_fixed_of(cost_model) + _row(cost_model) * work.rows)
    row = _row(cost_model)
    looked_at = MET * work.met + _stored(work) * cost_model.state_rows
    early = min(work.early, work.rows)
    late = min(work.touched, work.rows) - early
    computed = CHANGED * work.changed + TOUCHED * late + EARLY * early
    rows = row * computed + min(row, LIGHT) * looked_at
    return Estimates(_fixed_part(cost_model, work) + cost_model.factor * rows, full)


def _stored(work: Work) -> float:
    """Return the cost of a row of the state, in rows of a rebuild."""
    if work.adds:
        return 0.0
    if work.exchanges:
        return LOCATED
    return SCATTERED if work.scattered else STORED


def learned(cost_model: CostModel, stats: RefreshStats, seconds: float) -> CostModel:
    """Return the cost model after a refresh that took so many seconds.

    After an incremental refresh, the model estimates the same work at the time that it took. So a
    refresh that was slower than a rebuild is not tried again until there is less to do or a rebuild
    takes longer. Spark generates and compiles code for the first one that later ones find. So if it
    was slower than estimated, it counts as in a warm Spark, but at least its estimate.

    The fixed time and the factor answer for the difference by their shares in the estimate. A
    rebuild from a former query's state adds its time to that of this state's rebuild.
    """
    if stats.work.touched:
        changed = max(stats.work.changed, 1)
        cost_model = replace(
            cost_model, spread=stats.work.touched / changed, early=stats.work.early / changed
        )
    if stats.taken:
        return cost_model
    if stats.compared and seconds >= cost_model.full_seconds:
        return cost_model  # a rebuild need not compare
    if stats.reused:
        both = cost_model.full_seconds + seconds
        return replace(cost_model, full_seconds=both, full_rows=stats.work.rows)
    if stats.full:
        return replace(
            cost_model,
            full_seconds=_warm(seconds) if stats.first else seconds,
            full_rows=stats.work.rows,
            timed=not stats.first,
            since=0,
        )
    thought = estimates(cost_model, stats.work)
    if thought is None:
        return cost_model
    if not cost_model.tried:
        seconds = min(seconds, max(_warm(seconds), thought.incremental))
    ratio = min(max(seconds / thought.incremental, 1 / _MOST), _MOST)
    wanted = thought.incremental * (ratio if ratio > 1 else ratio**_SMOOTHED)
    found = replace(cost_model, tried=True, since=cost_model.since + 1)
    for _ in range(_STEPS):
        found = _corrected(found, stats.work, wanted)
    return found


def _corrected(cost_model: CostModel, work: Work, seconds: float) -> CostModel:
    """Return the cost model one step closer to an estimate of so many seconds."""
    thought = estimates(cost_model, work)
    assert thought is not None
    share = _fixed_part(cost_model, work) / thought.incremental
    ratio = seconds / thought.incremental
    return replace(
        cost_model,
        fixed=cost_model.fixed * ratio**share,
        factor=cost_model.factor * ratio ** (1 - share),
    )


def _warm(seconds: float) -> float:
    """Return the least seconds that a first build or refresh would take in a warm Spark."""
    return max(FIRST_BUILD * seconds, seconds - COLD)


def _fixed_part(cost_model: CostModel, work: Work) -> float:
    """Return the seconds of an incremental refresh that do not depend on its rows."""
    statement = 1.0
    if work.adds:
        statement = ADDED
    elif work.exchanges:
        statement = EXCHANGED
    elif work.rewrites:
        statement = REWRITTEN
    return cost_model.fixed * (
        statement + MATERIALIZED * work.materialized + SCAN * max(work.scans - 1, 0)
    )


def _fixed_of(cost_model: CostModel) -> float:
    return min(FIXED_FULL, cost_model.full_seconds / 2)


def _row(cost_model: CostModel) -> float:
    """Return the seconds that a source's row takes in a rebuild."""
    return (cost_model.full_seconds - _fixed_of(cost_model)) / cost_model.full_rows
