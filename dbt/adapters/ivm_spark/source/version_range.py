"""The version range of a source: its commits since the last refresh, and their effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum

from dbt.adapters.ivm_spark.algebra.catalog import RelationKind
from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.source.commit import FEED, TRACKING, Commit, Effect

FILES, SNAPSHOTS = "files ", "snapshots "
"""What the id of a table of files begins with, and that of an Iceberg table."""


class ChangeSource(str, Enum):
    """The ways to read the changed rows of a source.

    Attributes:
        FEED: Delta's change data feed, from the first changed version on.
        TRACKING: the rows' ids in a Delta table without a feed, from the first changed version on.
        SNAPSHOTS: Iceberg's change log, after the recorded snapshot.
    """

    FEED = "feed"
    TRACKING = "tracking"
    SNAPSHOTS = "snapshots"


@dataclass(frozen=True)
class Head:
    """The newest state of a source.

    Attributes:
        version: the newest version: a number that grows, or the id of an Iceberg snapshot.
        feed: the table's change feed is on.
        commits: the commits that were read from the table's log, newest first. Those of an Iceberg
            table are the newest snapshot and its ancestors.
        table_id: Delta's id of the table, empty unless it was needed. That of a table of files says
            which files it has, that of an Iceberg table which columns.
        mapped: the table's columns can be renamed and dropped.
        kind: what kind of relation the source is.
        tracked: Spark can find changed rows by the rows' ids, without a change feed.
    """

    version: int
    feed: bool
    commits: tuple[Commit, ...] = ()
    table_id: str = ""
    mapped: bool = False
    kind: RelationKind = RelationKind.DELTA
    tracked: bool = False

    @property
    def files(self) -> bool:
        """Return whether the source is a table of files, without versions."""
        return self.kind is RelationKind.FILES

    @property
    def snapshots(self) -> bool:
        """Return whether the source's versions are snapshots, which only ancestry puts in order."""
        return self.kind is RelationKind.ICEBERG

    @property
    def has_own_id(self) -> bool:
        """Return whether the head came with the table's id."""
        return self.kind is not RelationKind.DELTA

    def committed(self, version: int) -> str | None:
        """Return when a version was committed, None if `commits` does not have it."""
        return next((c.committed for c in self.commits if c.version == version), None)

    def is_before(self, version: int) -> bool:
        """Return whether the version is certainly a later one than the newest that this run saw."""
        return not self.snapshots and self.version < version

    def reaches(self, version: int) -> bool:
        """Return whether `commits` goes back to a version, as far as the log does."""
        return self.kind is not RelationKind.DELTA or any(
            c.version <= version for c in self.commits
        )

    def after(self, version: int) -> tuple[Commit, ...] | None:
        """Return the commits after a version, oldest first, None unless all of them are known."""
        later = self._later(version)
        if later is not None and not self.snapshots and len(later) < self.version - version:
            return None
        return later

    def at(self, version: int) -> Head:
        """Return the head as it was at a version that it comes after."""
        later = self._later(version) or ()
        commits = tuple(c for c in self.commits if c not in later)
        return replace(self, version=version, commits=commits)

    def gained(self, version: int) -> int | None:
        """Return how many more rows the table has than at a version, None if the log can't tell."""
        later = self.after(version)
        if later is None:
            return None
        known = [c.net_rows for c in later if c.net_rows is not None]
        return sum(known) if len(known) == len(later) else None

    def replaced(self, version: int) -> bool:
        """Return whether the table was, or may have been, replaced in place after a version.

        CREATE OR REPLACE does so.
        """
        later = self._later(version)
        return later is None or any(c.replaces for c in later)

    def _later(self, version: int) -> tuple[Commit, ...] | None:
        """Return the known commits after a version, oldest first, None if it is no ancestor."""
        if not self.snapshots:
            later = (c for c in self.commits if c.version > version)
            return tuple(sorted(later, key=lambda c: c.version))
        ids = [c.version for c in self.commits]
        return tuple(reversed(self.commits[: ids.index(version)])) if version in ids else None


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
        first: the first version that may have changed rows. In SNAPSHOTS it is the recorded one,
            whose changes are not read.
        updates: rows were only updated; none were inserted or deleted.
        replaced: a commit replaced all rows with new ones, so most of them may be the same.
        source: how the changed rows are read.
    """

    recorded: int
    pinned: int
    effect: Effect
    rows: int
    broken: Reason | None = None
    first: int = 0
    updates: bool = False
    replaced: bool = False
    source: ChangeSource = ChangeSource.FEED

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
    commits = head.after(recorded)
    if commits is None:
        reason = Reason(ReasonCode.CHANGE_SET_MISSING, _missing(name, recorded, head))
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
    broken, updates = _broken(name, commits, head), all(c.updates for c in changing)
    replaced = any(c.replaces or c.overwrites for c in changing)
    source = ChangeSource.SNAPSHOTS if head.snapshots else ChangeSource.FEED
    if broken is not None and head.tracked and _is_tracked(commits):
        source, broken = ChangeSource.TRACKING, None
    return VersionRange(
        recorded=recorded,
        pinned=head.version,
        effect=_total([c.effect for c in changing]),
        rows=rows,
        broken=broken,
        first=recorded if head.snapshots else changing[0].version,
        updates=updates,
        replaced=replaced,
        source=source,
    )


def _missing(name: str, recorded: int, head: Head) -> str:
    if head.snapshots:
        return f"{name}: its newest snapshot does not follow snapshot {recorded}"
    return f"{name}: versions after {recorded}"


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
    if head.snapshots:
        unread = next((c.unreadable for c in commits if c.unreadable), "")
        return Reason(ReasonCode.CHANGE_SET_MISSING, f"{name}: {unread}") if unread else None
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
