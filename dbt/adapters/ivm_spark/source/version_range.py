"""The version range of a source: its commits since the last refresh, and their effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.source.commit import FEED, TRACKING, Commit, Effect

FILES = "files "
"""What the id of a table of files begins with."""


@dataclass(frozen=True)
class Head:
    """The newest state of a source.

    Attributes:
        version: the newest version.
        feed: the table's change feed is on.
        commits: the commits that were read from the table's log.
        table_id: Delta's id of the table, empty unless it was needed.
        mapped: the table's columns can be renamed and dropped.
        files: the table is one of files, without versions. Its id says which files it has.
        tracked: Spark can find changed rows by the rows' ids, without a change feed.
    """

    version: int
    feed: bool
    commits: tuple[Commit, ...] = ()
    table_id: str = ""
    mapped: bool = False
    files: bool = False
    tracked: bool = False

    def committed(self, version: int) -> str | None:
        """Return when a version was committed, None if `commits` does not have it."""
        return next((c.committed for c in self.commits if c.version == version), None)

    def gained(self, version: int) -> int | None:
        """Return how many more rows the table has than at a version, None if the log can't tell."""
        net = {c.version: c.net_rows for c in self.commits if c.version > version}
        counts = [net.get(v) for v in range(version + 1, self.version + 1)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def replaced(self, version: int) -> bool:
        """Return whether the table was replaced in place after a version.

        CREATE OR REPLACE does so.
        """
        return any(c.replaces for c in self.commits if c.version > version)


@dataclass(frozen=True)
class VersionRange:
    """The commits of a source after the version `recorded`, up to and including `pinned`.

    A refresh reads the feed from `first` on, so an ALTER before it does no harm. It reads the feed
    up to the newest version, because Delta takes the newest columns.

    Attributes:
        recorded: the version in the watermark.
        pinned: the version to refresh to.
        effect: the sum of the commits' effects.
        rows: the changed rows that the commits' metrics count.
        broken: why the feed can't be read over the version range, if that is known beforehand.
        first: the first version that may have changed rows.
        updates: rows were only updated; none were inserted or deleted.
        replaced: a commit replaced all rows with new ones, so most of them may be the same.
        tracked: the changed rows are found by the rows' ids, because there is no change feed.
    """

    recorded: int
    pinned: int
    effect: Effect
    rows: int
    broken: Reason | None = None
    first: int = 0
    updates: bool = False
    replaced: bool = False
    tracked: bool = False

    @property
    def moved(self) -> bool:
        """Return whether rows may have changed."""
        return self.effect is not Effect.NOTHING


def insert_only(ranges: Iterable[VersionRange]) -> bool:
    """Return whether at least one source moved, and all that moved only gained rows."""
    return {w.effect for w in ranges if w.moved} == {Effect.INSERTS}


def version_range(name: str, recorded: int, head: Head, used: Set[str] | None) -> VersionRange:
    """Return the version range of a source from its recorded version to the head's.

    A table that was replaced in place keeps its feed, in which all old rows are deleted and all new
    rows are inserted. `head.commits` must reach back to the recorded version. If the log no longer
    has some of these commits, the range is broken.

    `used` holds the columns that a view reads, None if that is not certain.
    """
    versions = range(recorded + 1, head.version + 1)
    commits = sorted((c for c in head.commits if c.version in versions), key=lambda c: c.version)
    if len(commits) < len(versions):
        reason = Reason(ReasonCode.CHANGE_SET_MISSING, f"{name}: versions after {recorded}")
        return VersionRange(recorded, head.version, Effect.GENERAL, 0, reason)
    changing = [c for c in commits if c.effect is not Effect.NOTHING]
    rows = sum(c.rows for c in changing)
    for commit in commits:
        if commit.reshapes(used, head.mapped):
            detail = f"{name}: {commit.operation} at {commit.version}"
            reason = Reason(ReasonCode.DATA_SCHEMA_CHANGED, detail)
            return VersionRange(recorded, head.version, Effect.GENERAL, rows, reason)
    if not changing:
        return VersionRange(recorded, head.version, Effect.NOTHING, 0)
    effect, first = _total([c.effect for c in changing]), changing[0].version
    broken, updates = _broken(name, commits, head), all(c.updates for c in changing)
    replaced = any(c.replaces or c.overwrites for c in changing)
    tracked = broken is not None and head.tracked and _is_tracked(commits)
    return VersionRange(
        recorded=recorded,
        pinned=head.version,
        effect=effect,
        rows=rows,
        broken=None if tracked else broken,
        first=first,
        updates=updates,
        replaced=replaced,
        tracked=tracked,
    )


def _is_tracked(commits: Sequence[Commit]) -> bool:
    """Return whether rows certainly kept their ids over commits: nothing turned tracking on or
    off, and no commit put another table or a former version in place of the table."""
    return not any(
        c.replaces or c.operation.upper() == "RESTORE" or c.sets(TRACKING) is not None
        for c in commits
    )


def _total(effects: Sequence[Effect]) -> Effect:
    kinds = set(effects)
    return kinds.pop() if len(kinds) == 1 else Effect.GENERAL


def _broken(name: str, commits: Sequence[Commit], head: Head) -> Reason | None:
    """Return why the feed can't be read, as far as the commits tell, or None.

    The feed can't be read if rows changed while it was off. The commits do not tell if it was off
    before all of them, or if RESTORE turned it off again; then reading the feed fails.
    """
    if not head.feed:
        return Reason(ReasonCode.CDF_UNAVAILABLE, name)
    off = False
    for commit in commits:
        said = commit.sets(FEED)
        if said is not None or commit.replaces:
            off = not said
        if off and commit.effect is not Effect.NOTHING:
            return Reason(
                ReasonCode.CDF_UNAVAILABLE, f"{name}: version {commit.version} has no change feed"
            )
    return None
