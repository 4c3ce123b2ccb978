"""The version range of a source: the commits since the recorded version, and what they may do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.source.commit import Commit, Effect


@dataclass(frozen=True)
class Head:
    """The newest state of a source: its version, whether its feed is on, Delta's table id, where it
    had to be asked for, and whether its columns can be renamed and dropped."""

    version: int
    feed: bool
    commits: tuple[Commit, ...] = ()
    table_id: str = ""
    mapped: bool = False

    def committed(self, version: int) -> str | None:
        """When a version was committed, None where the log at hand does not have it."""
        return next((c.committed for c in self.commits if c.version == version), None)

    def gained(self, version: int) -> int | None:
        """Rows that the table has more than at a version, None where its log does not tell."""
        net = {c.version: c.net_rows for c in self.commits if c.version > version}
        counts = [net.get(v) for v in range(version + 1, self.version + 1)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def replaced(self, version: int) -> bool:
        """Whether the table was replaced in place after a version, as CREATE OR REPLACE does."""
        return any(c.replaces for c in self.commits if c.version > version)


@dataclass(frozen=True)
class VersionRange:
    """What happened to a source after `recorded` up to and with `pinned`.

    effect is the sum of the commits' effects; rows what their metrics count; broken says why the
    feed can't be read over the version_range, where that is known beforehand; first is the
    first version that may have changed rows, where the feed is read from: what was altered before
    does it no harm. It is read to the newest version, since Delta takes the newest columns.
    updates: rows were only updated, none came and none went. replaced: a commit put all rows in
    the place of all rows, so that most of them may be the same.
    """

    recorded: int
    pinned: int
    effect: Effect
    rows: int
    broken: Reason | None = None
    first: int = 0
    updates: bool = False
    replaced: bool = False

    @property
    def moved(self) -> bool:
        """True where rows may have changed."""
        return self.effect is not Effect.NOTHING


def insert_only(ranges: Iterable[VersionRange]) -> bool:
    """Whether the sources that moved, of which there are some, only gained rows."""
    return {w.effect for w in ranges if w.moved} == {Effect.INSERTS}


def version_range(name: str, recorded: int, head: Head, used: Set[str] | None) -> VersionRange:
    """The version_range of a source from its recorded version to the head's.

    A table that was replaced in place goes on: its feed has all old rows deleted and all new rows
    inserted. head.commits must reach back to the recorded version; commits that the log no longer
    has make the range broken. used: the columns that a view reads, None where that is not certain.
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
    return VersionRange(recorded, head.version, effect, rows, broken, first, updates, replaced)


def _total(effects: Sequence[Effect]) -> Effect:
    kinds = set(effects)
    return kinds.pop() if len(kinds) == 1 else Effect.GENERAL


def _broken(name: str, commits: Sequence[Commit], head: Head) -> Reason | None:
    """Whether rows changed while the feed was off, as far as the commits tell: where the feed was
    off before all of them, or RESTORE brought that back, reading it fails."""
    if not head.feed:
        return Reason(ReasonCode.CDF_UNAVAILABLE, name)
    off = False
    for commit in commits:
        said = commit.feed_set_to()
        if said is not None or commit.replaces:
            off = not said
        if off and commit.effect is not Effect.NOTHING:
            return Reason(
                ReasonCode.CDF_UNAVAILABLE, f"{name}: version {commit.version} has no change feed"
            )
    return None
