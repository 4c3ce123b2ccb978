"""The facts about an ivm model when it is examined, and the findings.

Times are in milliseconds since 1970, durations in seconds, sizes in bytes. Relations have their
quoted names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from dbt.adapters.ivm_spark.algebra.reasons import Reason


@dataclass(frozen=True)
class KeyFacts:
    """A declared key of a source.

    Attributes:
        columns: names of the key's columns.
        declared_by: a constraint, or the config `primary_keys`.
        duplicate: an example of a key that more than one row has, as text. Empty if the key holds,
            None if that was not checked.
        trusted: refreshes trust it, because a declared foreign key refers to it.
    """

    columns: tuple[str, ...]
    declared_by: str
    duplicate: str | None = None
    trusted: bool = False


@dataclass(frozen=True)
class ReferenceFacts:
    """A foreign key of a source, which refreshes trust.

    Attributes:
        columns: names of its columns.
        referenced: the quoted name of the table that it refers to.
        keys: names of that table's columns.
        orphan: an example of a value that the other table does not have, as text. Empty if there is
            none, None if that was not checked.
    """

    columns: tuple[str, ...]
    referenced: str
    keys: tuple[str, ...]
    orphan: str | None = None


@dataclass(frozen=True)
class MetFacts:
    """A table that a change of other sources meets by a key.

    Attributes:
        relation: its quoted name.
        key: the column of the key.
        files: the number of its files.
        read: the number of files that may have a given key, on average.
    """

    relation: str
    key: str
    files: int
    read: float


@dataclass(frozen=True)
class SourceFacts:
    """A source of a model.

    Attributes:
        name: its quoted name.
        feed_since: version and time from which every version has a change feed, None without one.
        version: its newest version.
        recorded: the version that the model's state was refreshed to, None if it is not built.
        unread: number of versions since then that may have changed rows.
        unread_since: when the oldest of those versions was committed, None if there is none.
        files_kept: how long Delta keeps the data files that a change feed is read from.
        log_kept: how long Delta keeps the log entries that a change feed is read from.
        table_id: Delta's id of the table.
        recorded_id: Delta's id of the table that the state was refreshed from.
        replaced: it is another table than the recorded one, or has other files.
        parent: the dbt node that builds it.
        parent_kind: that node's materialization, empty for a source of the project.
        drops: its properties, with their values, that the parent's next run does not set again.
        keys: its declared keys.
        references: its declared foreign keys.
        files: it is a table of files, without versions and a change feed.
        tracked: it has no change feed, but Spark finds its changes by the ids of its rows.
        snapshots: it is an Iceberg table, whose versions are ids of snapshots.
        unreadable: why Iceberg can't read its changes, empty if it can.
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
    references: tuple[ReferenceFacts, ...] = ()
    files: bool = False
    tracked: bool = False
    snapshots: bool = False
    unreadable: str = ""


@dataclass(frozen=True)
class StateFacts:
    """A model's state.

    Attributes:
        name: its quoted name.
        files: number of its data files.
        size: size of these files.
        refresh: number of its last refresh.
        refreshed: when its last refresh was committed.
        held: the view reads an old version of it, because a rebuild has not ended.
        unsafe: the scheme of its store if two drivers can lose commits there, empty if they can't.
    """

    name: str
    files: int
    size: int
    refresh: int
    refreshed: int
    held: bool = False
    unsafe: str = ""


@dataclass(frozen=True)
class ModelFacts:
    """An ivm model.

    Attributes:
        model: its name.
        view: quoted name of its view.
        policy: its `refresh_policy`.
        now: when it was examined.
        kind: of its next refresh, empty if that can't be planned.
        technique: of its next refresh, empty if that can't be planned.
        reason: why that refresh is full.
        unsupported_reason: why every refresh is full.
        refused: why the next run would fail.
        state: None if it is not built.
        sources: the sources that its query reads.
        met: the big tables among them that a change meets by a key; empty if that was not checked.
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
    met: tuple[MetFacts, ...] = ()
    drift: int | None = None
    unchecked: str = ""

    @property
    def of_delta(self) -> tuple[SourceFacts, ...]:
        """Return the sources that are Delta tables."""
        return tuple(s for s in self.sources if not (s.files or s.snapshots))


class Severity(str, Enum):
    """How severe a finding is.

    Attributes:
        ERROR: the model is wrong, or its next run fails.
        WARNING: the model costs more than it should, or soon will.
        INFO: good to know.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """A finding of the doctor.

    Attributes:
        severity: how severe it is.
        code: its name for programs.
        subject: the relation that it is about.
        message: what the doctor found.
        remedy: a statement or a command to copy, or what to write into a project's file.
    """

    severity: Severity
    code: str
    subject: str
    message: str
    remedy: str
