"""The change window of a source: the commits since the recorded version, and what they may do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbt.adapters.ivm_spark.source.commit import Commit, Effect
from dbt.adapters.ivm_spark.view.reasons import Reason, ReasonCode


@dataclass(frozen=True)
class Head:
    """The newest state of a source: its version, whether its feed is on, and Delta's table id,
    where it had to be asked for."""

    version: int
    feed: bool
    commits: tuple[Commit, ...] = ()
    table_id: str = ""

    def committed(self, version: int) -> str | None:
        """When a version was committed, None where the log at hand does not have it."""
        return next((c.committed for c in self.commits if c.version == version), None)


@dataclass(frozen=True)
class Window:
    """What happened to a source after `recorded` up to and with `pinned`.

    effect is the sum of the commits' effects; rows what their metrics count; broken says why the
    feed can't be read over the window, where that is known beforehand.
    """

    recorded: int
    pinned: int
    effect: Effect
    rows: int
    broken: Reason | None = None

    @property
    def moved(self) -> bool:
        """True where rows may have changed."""
        return self.effect is not Effect.NOTHING


def window(name: str, recorded: int, head: Head) -> Window:
    """The window of a source from its recorded version to the head's.

    A table that was replaced in place goes on: its feed has all old rows deleted and all new rows
    inserted. head.commits must reach back to the recorded version; commits that the log no longer
    has make the window broken.
    """
    versions = range(recorded + 1, head.version + 1)
    commits = [c for c in head.commits if c.version in versions]
    if len(commits) < len(versions):
        reason = Reason(ReasonCode.CHANGE_SET_MISSING, f"{name}: versions after {recorded}")
        return Window(recorded, head.version, Effect.GENERAL, 0, reason)
    effect = _total([c.effect for c in commits])
    rows = sum(c.rows for c in commits if c.effect is not Effect.NOTHING)
    broken = None
    if effect is not Effect.NOTHING:
        broken = _broken(name, sorted(commits, key=lambda c: c.version), head)
    return Window(recorded, head.version, effect, rows, broken)


def _total(effects: Sequence[Effect]) -> Effect:
    kinds = set(effects) - {Effect.NOTHING}
    if not kinds:
        return Effect.NOTHING
    return kinds.pop() if len(kinds) == 1 else Effect.GENERAL


def _broken(name: str, commits: list[Commit], head: Head) -> Reason | None:
    if not head.feed:
        return Reason(ReasonCode.CDF_UNAVAILABLE, name)
    changed = False
    for commit in commits:
        said = commit.feed_set_to()
        if said is False or (commit.replaces and said is None):
            return Reason(
                ReasonCode.CDF_UNAVAILABLE, f"{name}: version {commit.version} has no change feed"
            )
        if said and changed and not commit.replaces:
            return Reason(
                ReasonCode.CDF_UNAVAILABLE, f"{name}: no change feed before {commit.version}"
            )
        if commit.reshapes:
            return Reason(
                ReasonCode.DATA_SCHEMA_CHANGED, f"{name}: {commit.operation} at {commit.version}"
            )
        changed = changed or commit.effect is not Effect.NOTHING
    return None
