"""The watermark, which a refresh writes into the metadata of its commit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mashumaro import field_options
from mashumaro.codecs.basic import BasicDecoder, BasicEncoder
from mashumaro.dialect import Dialect

from dbt.adapters.ivm_spark.__version__ import version
from dbt.adapters.ivm_spark.source.commit import Commit, Effect
from dbt.adapters.ivm_spark.watermark.configuration import Configuration
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel, RefreshStats, learned
from dbt.adapters.ivm_spark.watermark.marked import marked, unmarked

FORMAT = 2
_MARK = "ivm2."
_ALTERS = frozenset({"SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "CLUSTER BY"})
_ROWS_ONLY = frozenset({"DELETE", "UPDATE", "MERGE", "WRITE"})
"""The operations that change rows and nothing else of a table."""
_ANY_MARK = re.compile(r"ivm\d+\.")


@dataclass(frozen=True)
class SourceWatermark:
    """The watermark of one source.

    Attributes:
        table_id: the table's id, see `Head`.
        version: the version that the refresh read.
        rows: the table's rows as far as known: counted at the last rebuild, plus the rows gained
            since.
        committed: when that version was committed.
    """

    table_id: str
    version: int
    rows: int = 0
    committed: str = ""


@dataclass(frozen=True)
class Story:
    """The part of a watermark that is shown to people.

    Attributes:
        kind: the kind of the refresh.
        technique: how the refresh changed the state.
        reason: code and detail of the reason for a full refresh.
        estimates: the seconds that it was estimated to take, incrementally and in full.
    """

    kind: str = ""
    technique: str = ""
    reason: tuple[str, str] | None = None
    estimates: tuple[float, float] | None = None


@dataclass(frozen=True)
class StoredQuery:
    """The query whose rows a state holds, so that a change of the model's SQL can be told from it.

    Attributes:
        tree: the view tree as text, see `dbt.adapters.ivm_spark.algebra.recorded`; empty if it was
            not recorded.
        above: how many of its operators are above the part that the state stores, None if the tree
            tells.
        columns: the types of the columns that it reads, by column by quoted name of the source.
    """

    tree: str = ""
    above: int | None = None
    columns: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Watermark:
    """The watermark of one refresh, stored in the metadata of its commit.

    Attributes:
        state_id: the id of the state for Delta's idempotent writes.
        refresh: the number of the refresh, from 1.
        fingerprint: the query's fingerprint.
        sources: the watermark of each source, by quoted name.
        outputs: (name, Spark type) of the query's columns.
        types: Spark types of the state's columns, so that a refresh need not ask again.
        unsupported_reason: code and detail of why the query is never maintained.
        repeatable: the rows of the sources alone decide the result.
        package: the version of this package that wrote the watermark.
        stats: the statistics of this refresh.
        cost_model: the cost model learned from the refreshes before it.
        configured: the model's configuration of the table, None if the table is not so.
        appends: the state was built to be appended to.
        appended: how many refreshes have appended to it since its rows were last added up.
        large: the table is laid out as a large state's.
        story: the part that is shown to people.
        in_order: names of the aggregates that read their rows in a fixed order.
        clock: the value of each constant of the query that depends on the current time, as SQL by
            SQL.
        clock_at: the time that the query read, in microseconds since 1970; 0 if it reads none.
        query: the query whose rows the state holds.
        frozen: the condition of the rows that no refresh touches, as the model wrote it; empty for
            none.
        frozen_on: the same condition over the columns of the state, as SQL.
        given: frozen rows were made from rows of the view, so their counts are not the real ones.
        limited: the state was built from some of the sources' rows (--empty, --sample).
        frozen_zone: the time zone that this condition depends on, empty if it does on none.
        format: the format of the watermark; a watermark of another format is not read.
    """

    state_id: str
    refresh: int
    fingerprint: str
    sources: dict[str, SourceWatermark]
    outputs: tuple[tuple[str, str], ...] = ()
    types: dict[str, str] = field(default_factory=dict)
    unsupported_reason: tuple[str, str] | None = field(
        default=None, metadata=field_options(alias="lasting")
    )
    repeatable: bool = True
    package: str = version
    stats: RefreshStats = field(
        default_factory=RefreshStats, metadata=field_options(alias="effort")
    )
    cost_model: CostModel = field(
        default_factory=CostModel, metadata=field_options(alias="experience")
    )
    configured: Configuration | None = None
    appends: bool = False
    appended: int = 0
    large: bool = False
    story: Story = field(default_factory=Story)
    in_order: tuple[str, ...] = ()
    clock: dict[str, str] = field(default_factory=dict)
    clock_at: int = 0
    query: StoredQuery = field(default_factory=StoredQuery)
    frozen: str = ""
    frozen_zone: str = ""
    frozen_on: str = ""
    limited: bool = False
    given: bool = False
    format: int = FORMAT

    def encode(self) -> str:
        """Return the text that goes into the commit's metadata."""
        return marked(_MARK, _ENCODER.encode(self))


class _Aliases(Dialect):
    """Writes fields under their aliases: the names that states of earlier versions have."""

    serialize_by_alias = True


_ENCODER = BasicEncoder(Watermark, default_dialect=_Aliases)
_DECODER = BasicDecoder(Watermark)


def decode(metadata: str | None) -> Watermark | None:
    """Return the watermark in a commit's metadata, None if there is none that can be read.

    A commit that is not ours has no watermark, and this version reads one format only. It ignores
    keys that it does not know.
    """
    facts = unmarked(_MARK, metadata)
    try:
        return _DECODER.decode(facts) if facts["format"] == FORMAT else None
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


@dataclass(frozen=True)
class StateHistory:
    """The newest refresh of a state, and the commits since.

    Attributes:
        watermark: the newest watermark of the state, None without one.
        modified: a commit by somebody else since, empty without one.
        committed: when the refresh was committed, in milliseconds, 0 if that is not known.
        gained: the rows that its commit added to the state; for a rebuild, all rows.
        unread: the commit whose watermark has another format.
        altered: the table's configuration was changed since.
        version: the state's newest version.
        refreshed: the version of the refresh, None without a watermark.
        reshaped: a commit by somebody else did more than change rows.
    """

    watermark: Watermark | None
    modified: str = ""
    committed: int = 0
    gained: int = 0
    unread: str = ""
    altered: bool = False
    version: int | None = None
    refreshed: int | None = None
    reshaped: bool = False

    @property
    def cost_model(self) -> CostModel:
        """Return the cost model of the view after all of its refreshes, the newest included.

        A clock of the cluster may differ from the one the refresh began by. Impossible times are
        left out.
        """
        if self.watermark is None:
            return CostModel()
        stats, before = self.watermark.stats, self.watermark.cost_model
        seconds = (self.committed - stats.started) / 1000
        if stats.started and seconds > 0:
            before = learned(before, stats, seconds)
        replaced = stats.full and not stats.compared
        rows = self.gained if replaced else before.state_rows + self.gained
        return replace(before, state_rows=max(rows, 0))


def newest(commits: Sequence[Commit]) -> StateHistory:
    """Return a state's newest refresh and the commits since; `commits` has the newest first.

    OPTIMIZE and ALTER in between carry no watermark.
    """
    modified, altered, reshaped = "", False, False
    version = commits[0].version if commits else None
    for commit in commits:
        watermark = decode(commit.metadata)
        changed = commit.effect is not Effect.NOTHING
        merged = changed or commit.operation in ("MERGE", "WRITE")
        if watermark is not None and merged:
            committed = int(commit.committed) if commit.committed.isdigit() else 0
            return StateHistory(
                watermark,
                modified,
                committed,
                commit.gained,
                altered=altered,
                version=version,
                refreshed=commit.version,
                reshaped=reshaped,
            )
        altered = altered or commit.operation.upper() in _ALTERS
        if merged and _ANY_MARK.match(commit.metadata or ""):
            unread = f"{commit.operation} at version {commit.version}"
            return StateHistory(None, modified, unread=unread, version=version)
        if changed or commit.reshapes(None, mapped=False):
            reshaped = reshaped or commit.operation.upper() not in _ROWS_ONLY
            modified = f"{commit.operation} at version {commit.version}"
    return StateHistory(None, modified, version=version)
