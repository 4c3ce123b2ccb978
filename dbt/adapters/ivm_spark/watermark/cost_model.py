"""What a refresh would take both ways, learned from this view's earlier refreshes. Pure.

A rebuild takes a fixed part and a part in proportion to the rows of its sources. An incremental
refresh takes a fixed part, and for each row that changed or that the change meets some multiple of
what a row takes in a rebuild. The multiples are where a view begins; the fixed part and the view's
own factor on them are learned. Rows decide, never bytes of touched files: one deleted
row in a big file is not a big change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timezone

FIXED_FULL = 0.7
"""Seconds of a rebuild of nothing."""
FIXED_INCREMENTAL = 1.1
"""Seconds of an incremental refresh by one row, before any is recorded, by one statement that reads
one change feed."""
MATERIALIZED = 0.1
"""What each relation that is kept before the statement adds to that, as a part of it."""
SCAN = 0.07
"""The same of each table or feed that is read besides the first: Delta chooses its files, Spark
plans it and starts its tasks, however few its rows are."""
ADDED = 0.3
"""What an INSERT takes of the fixed part; a MERGE reads the state twice and writes it anew."""
FIRST_BUILD = 0.5
"""What a rebuild takes of a first build, at the least: most first builds run in a Spark that is not
warm. Where an incremental refresh takes longer than that, one rebuild is made to know."""
COLD = 4.0
"""Seconds that this adds to a first build, at the most."""
CHANGED = 5.0
"""What a changed row takes, in rows of a rebuild: it is read from the feed, evaluated, merged."""
MET = 1.0
"""What a row of a table that the change meets takes, in rows of a rebuild."""
STORED = 1.0
"""What a row of the state takes, in rows of a rebuild: the MERGE looks for its matches there."""
SCATTERED = 4.0
"""The same of a state whose rows are found by all their columns: equal rows lie anywhere, so that
most files have some, and are written anew."""
LIGHT = 1.5e-6
"""Seconds that a row takes at most to be read, however much a rebuild does with it."""
_MOST = 3.0
"""Times its estimate that a refresh counts for at most: one that a busy cluster held up does not
rule increments out for good."""
_SMOOTHED = 0.5
"""How much a refresh counts that was faster than estimated; one that was slower counts in full."""
_STEPS = 4


@dataclass(frozen=True)
class Work:
    """rows: of all sources; changed: rows in the ranges; met: rows of the sources that are read
    besides, each as often as it is, least: those of them that are read at the least; kept:
    relations that are computed before the statement; scans: of tables and change feeds; scattered:
    rows of the state are found by all their columns; adds: none is looked for."""

    rows: int = 0
    changed: int = 0
    met: int = 0
    kept: int = 0
    scans: int = 0
    scattered: bool = False
    adds: bool = False
    least: int = 0


@dataclass(frozen=True)
class RefreshStats:
    """What a commit records of its refresh.

    Attributes:
        started: when it began, in milliseconds since 1970.
        full: it was a rebuild.
        first: its query was new.
        work: what it had to do.
        compared: the rebuild wrote only what differed.
        differed: the fraction of the rows that did.
    """

    started: int = 0
    full: bool = True
    first: bool = False
    work: Work = field(default_factory=Work)
    compared: bool = False
    differed: float = 0.0

    @property
    def started_at(self) -> str:
        """When it began, in UTC, as ISO 8601 writes it."""
        moment = datetime.fromtimestamp(self.started / 1000, timezone.utc)
        return moment.isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class CostModel:
    """What a view's refreshes have taken so far.

    Attributes:
        full_seconds: of the last rebuild.
        full_rows: rows of its sources.
        fixed: the fixed seconds of an incremental refresh by one statement.
        factor: on what its rows are estimated to take.
        state_rows: rows of the state, 0 if they are not known.
        timed: the last rebuild was not the first build, which also warms Spark up.
        tried: an incremental refresh was timed.
    """

    full_seconds: float = 0.0
    full_rows: int = 0
    fixed: float = FIXED_INCREMENTAL
    factor: float = 1.0
    state_rows: int = 0
    timed: bool = False
    tried: bool = False


@dataclass(frozen=True)
class Estimates:
    """Seconds of an incremental refresh and of a rebuild."""

    incremental: float
    full: float


def estimates(cost_model: CostModel, work: Work) -> Estimates | None:
    """What a refresh would take both ways; None before a rebuild was recorded."""
    if not cost_model.full_seconds or not cost_model.full_rows:
        return None
    full = _fixed_of(cost_model) + _row(cost_model) * work.rows
    stored = 0.0 if work.adds else (SCATTERED if work.scattered else STORED)
    row = _row(cost_model)
    looked_at = MET * work.met + stored * cost_model.state_rows
    rows = row * CHANGED * work.changed + min(row, LIGHT) * looked_at
    return Estimates(_fixed_part(cost_model, work) + cost_model.factor * rows, full)


def learned(cost_model: CostModel, stats: RefreshStats, seconds: float) -> CostModel:
    """Return the cost_model after a refresh that took so many seconds.

    After an increment the estimate of the same work is what it took, so that one which was slower
    than a rebuild is not tried again until there is less to do or a rebuild takes longer. The fixed
    part and the factor answer for the difference by their shares in the estimate.
    """
    if stats.compared and seconds >= cost_model.full_seconds:
        return cost_model  # to compare is no part of what a rebuild must take
    if stats.full:
        return replace(
            cost_model,
            full_seconds=_warm(seconds) if stats.first else seconds,
            full_rows=stats.work.rows,
            timed=not stats.first,
        )
    thought = estimates(cost_model, stats.work)
    if thought is None:
        return cost_model
    ratio = min(max(seconds / thought.incremental, 1 / _MOST), _MOST)
    wanted = thought.incremental * (ratio if ratio > 1 else ratio**_SMOOTHED)
    found = replace(cost_model, tried=True)
    for _ in range(_STEPS):
        found = _corrected(found, stats.work, wanted)
    return found


def _corrected(cost_model: CostModel, work: Work, seconds: float) -> CostModel:
    """One step towards an estimate of so many seconds."""
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
    """What a first build would take at the least in a Spark that is warm."""
    return max(FIRST_BUILD * seconds, seconds - COLD)


def _fixed_part(cost_model: CostModel, work: Work) -> float:
    """Seconds of an incremental refresh that its rows do not matter to."""
    statement = ADDED if work.adds else 1.0
    return cost_model.fixed * (statement + MATERIALIZED * work.kept + SCAN * max(work.scans - 1, 0))


def _fixed_of(cost_model: CostModel) -> float:
    return min(FIXED_FULL, cost_model.full_seconds / 2)


def _row(cost_model: CostModel) -> float:
    """Seconds of a source's row in a rebuild."""
    return (cost_model.full_seconds - _fixed_of(cost_model)) / cost_model.full_rows
