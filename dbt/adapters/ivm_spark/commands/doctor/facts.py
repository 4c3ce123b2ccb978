"""What is known of an ivm model when it is examined. Times in milliseconds since 1970, durations in
seconds, sizes in bytes, relations by quoted name."""

from __future__ import annotations

from dataclasses import dataclass, field

from dbt.adapters.ivm_spark.algebra.reasons import Reason


@dataclass(frozen=True)
class KeyFacts:
    """A declared key of a source; duplicate: an example of a key that more rows than one have, as
    text, empty where the key holds, None where that was not checked."""

    columns: tuple[str, ...]
    declared_by: str
    duplicate: str | None = None


@dataclass(frozen=True)
class SourceFacts:
    """A source of a model.

    feed_since: version and time from which on every version has a change feed, None without one;
    version: the newest; recorded: the one that the model's state was refreshed to, None where the
    model is not built; unread: versions since then that may have changed rows, unread_since: when
    the oldest of them was committed; files_kept, log_kept: how long Delta keeps what a change feed
    is read from; replaced: another table than the recorded one; parent: the dbt node that builds
    it; drops: properties of it, with their values, that this node's next run does not set again.
    """

    name: str
    feed_since: tuple[int, int] | None
    version: int
    recorded: int | None = None
    unread: int = 0
    unread_since: int | None = None
    files_kept: float = 0.0
    log_kept: float = 0.0
    table_id: str = ""
    recorded_id: str = ""
    replaced: bool = False
    parent: str = ""
    parent_kind: str = ""
    drops: tuple[tuple[str, str], ...] = ()
    keys: tuple[KeyFacts, ...] = ()


@dataclass(frozen=True)
class StateFacts:
    """A model's state; refreshed: when its last refresh was committed, refresh: its number."""

    name: str
    files: int
    size: int
    refresh: int
    refreshed: int
    held: bool = False


@dataclass(frozen=True)
class ModelFacts:
    """An ivm model.

    Attributes:
        now: when it was examined.
        kind: of its next refresh, empty if that can't be planned.
        technique: of its next refresh, empty if that can't be planned.
        reason: why that refresh is full.
        unsupported_reason: why every refresh is full.
        refused: why the next run would fail.
        state: None if it is not built.
        drift: rows in which it differs from its query, None if that was not checked.
        unchecked: why that could not be checked.
    """

    model: str
    view: str
    policy: str
    now: int
    kind: str = ""
    technique: str = ""
    reason: Reason | None = None
    unsupported_reason: Reason | None = None
    refused: str = ""
    state: StateFacts | None = None
    sources: tuple[SourceFacts, ...] = field(default_factory=tuple)
    drift: int | None = None
    unchecked: str = ""
