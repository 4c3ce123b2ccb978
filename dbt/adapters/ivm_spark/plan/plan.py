"""What a run will do with a view, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Window
from dbt.adapters.ivm_spark.physical.runtime_filters import Answers, Question
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.no_op_updates import NoOpUpdates
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.state.append import Append
from dbt.adapters.ivm_spark.state.held import named
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration
from dbt.adapters.ivm_spark.watermark.cost_model import Estimates, Work
from dbt.adapters.ivm_spark.watermark.watermark import Story, Watermark

DETAIL = 300
"""Characters of a reason's detail that a commit keeps; it may be a whole message of Spark's."""


class RefreshKind(str, Enum):
    """The kind of a refresh."""

    INITIAL = "initial"
    INCREMENTAL = "incremental"
    FULL = "full"
    NONE = "none"


class Technique(str, Enum):
    """How a refresh changes the state (DESIGN section 6)."""

    INITIAL = "initial"
    NO_OP = "no_op"
    ROW_BASED = "row_based"
    APPEND = "append"
    GROUP_AGGREGATE = "group_aggregate"
    AFFECTED_GROUPS = "affected_groups"
    AFFECTED_PARTITIONS = "affected_partitions"
    FULL = "full"


@dataclass(frozen=True)
class MergeSql:
    """The parts of the MERGE as SQL text, for the template `ivm_merge`; `delete_when` and
    `update_when` may be empty.

    kept: name and query of the temporary relations that the source reads, for `ivm_keep`; asks:
    for each of them and for the MERGE what it is worth to know before; loses: a query for the rows
    that the state loses, gains: the rows of an INSERT that does the same where those are none.
    """

    kept: tuple[tuple[str, str], ...]
    asks: tuple[tuple[Question, ...], ...]
    source: str
    on: str
    delete_when: str
    update_when: str
    updates: tuple[tuple[str, str], ...]
    insert_when: str
    inserts: tuple[tuple[str, str], ...]
    loses: str = ""
    gains: str = ""

    @property
    def insert(self) -> AppendSql:
        """The INSERT in the place of a MERGE that takes nothing out of the state."""
        names = tuple(name for name, _ in self.inserts)
        return AppendSql(self.kept, self.asks, self.gains, names, overwrite=False)

    @classmethod
    def of(cls, parts: Merge) -> MergeSql:
        """The text of a MERGE's trees."""
        return cls(
            kept=_texts(parts),
            asks=parts.asks,
            source=to_sql(parts.source, pretty=True),
            on=to_sql(parts.on),
            delete_when=to_sql(parts.delete_when) if parts.delete_when is not None else "",
            update_when=to_sql(parts.update_when) if parts.update_when is not None else "",
            updates=tuple((name, to_sql(value)) for name, value in parts.updates),
            insert_when=to_sql(parts.insert_when),
            inserts=tuple((name, to_sql(value)) for name, value in parts.inserts),
            loses=to_sql(parts.loses, pretty=True) if parts.loses is not None else "",
            gains=to_sql(parts.gains, pretty=True) if parts.gains is not None else "",
        )


@dataclass(frozen=True)
class AppendSql:
    """The parts of the INSERT that adds to the state, or takes its place where `overwrite`, for the
    template `ivm_append`; kept and asks as for a MERGE."""

    kept: tuple[tuple[str, str], ...]
    asks: tuple[tuple[Question, ...], ...]
    source: str
    columns: tuple[str, ...]
    overwrite: bool

    @classmethod
    def of(cls, parts: Append) -> AppendSql:
        """The text of an INSERT's trees."""
        return cls(
            kept=_texts(parts),
            asks=parts.asks,
            source=to_sql(parts.source, pretty=True),
            columns=parts.columns,
            overwrite=parts.overwrite,
        )


def _texts(parts: Merge | Append) -> tuple[tuple[str, str], ...]:
    return tuple((name, to_sql(query, pretty=True)) for name, query in parts.kept)


@dataclass(frozen=True)
class Comparison:
    """What a rebuild that writes only what differs needs besides its MERGE.

    Attributes:
        new: the name of the temporary view of the new contents, whose text is the plan's `fill`.
        counts: a query for how many rows the state loses and gains, columns `lost` and `gained`.
        rows: rows of the state before, 0 if they are not known.
        moved: a source has changed, so that the versions are recorded even if no row differs.
    """

    new: str
    counts: str
    rows: int
    moved: bool


MergeWith = Callable[[Answers, frozenset[str]], "MergeSql | AppendSql"]


@dataclass(frozen=True)
class Plan:
    """One refresh: its kind and technique, the reason of a full one, and the SQL parts.

    fill: the SELECT of a rebuild; merge: the MERGE of an incremental one, or the INSERT where
    the state is appended to, merge_with: the same with answers to what it asks and without the
    changes of sources; comparison: of a rebuild that changes only what differs, by `merge`;
    no_op_updates: what to ask of these, None where there is nothing to ask;
    idle: those whose changes come to nothing; work_without: what is left to do without them;
    view: the SELECT of the view, empty where the view fits already; shown: the mark that it gets,
    row: what a row of the state shows in it; alters: the view is there and is altered, else it
    is created; held_at: the version of the state at which readers are held during a rebuild,
    None where there is nothing to hold; outputs: (name, type) of the query's columns;
    estimates: what both ways would take; tuning: session settings to run under; table: how the
    state is to be laid out, alteration: what makes the one that stands so; findings: what it was
    made from, None where nothing was looked at.
    """

    kind: RefreshKind
    technique: Technique
    watermark: Watermark
    reason: Reason | None = None
    fill: str = ""
    merge: MergeSql | AppendSql | None = None
    merge_with: MergeWith | None = None
    comparison: Comparison | None = None
    no_op_updates: NoOpUpdates | None = None
    idle: frozenset[str] = frozenset()
    work_without: Callable[[frozenset[str]], Work] | None = None
    view: str = ""
    shown: str = ""
    alters: bool = False
    held_at: int | None = None
    row: str = ""
    outputs: tuple[tuple[str, str], ...] = ()
    ranges: dict[str, VersionRange] = field(default_factory=dict)
    estimates: Estimates | None = None
    tuning: dict[str, str] = field(default_factory=dict)
    warning: str = ""
    table: Configuration = field(default_factory=Configuration)
    alteration: Alteration = field(default_factory=Alteration)
    findings: Findings | None = field(default=None, repr=False)

    def begun(self, started: int) -> Plan:
        """The same plan, whose commit records when the refresh began (milliseconds since 1970) and
        what it is."""
        stats = replace(self.watermark.stats, started=started)
        return replace(self, watermark=replace(self.watermark, stats=stats, story=self._story))

    def without(self, idle: frozenset[str]) -> Plan:
        """The plan of an incremental refresh, once it is known whose changes come to nothing: its
        statements leave them out, and so does the work that its commit records."""
        assert self.merge_with is not None and self.work_without is not None
        idle = self.idle | idle
        stats = replace(self.watermark.stats, work=self.work_without(idle))
        mark = replace(self.watermark, stats=stats)
        return replace(self, idle=idle, merge=self.merge_with({}, idle), watermark=mark)

    @property
    def whole(self) -> Plan:
        """The same rebuild without a comparison: the table is replaced."""
        stats = replace(self.watermark.stats, compared=False, differed=0.0)
        mark = replace(self.watermark, stats=stats)
        return replace(self, merge=None, comparison=None, watermark=mark)

    def differing(self, fraction: float) -> Plan:
        """The plan of a rebuild that compares, once it is known how many rows differ."""
        stats = replace(self.watermark.stats, compared=True, differed=fraction)
        return replace(self, watermark=replace(self.watermark, stats=stats))

    @property
    def _story(self) -> Story:
        reason, thought = self.reason, self.estimates
        return Story(
            kind=self.kind.value,
            technique=self.technique.value,
            reason=None if reason is None else (reason.code.value, reason.detail[:DETAIL]),
            estimates=None
            if thought is None
            else (round(thought.incremental, 3), round(thought.full, 3)),
        )

    @property
    def is_reconstructed(self) -> bool:
        """Whether its statements were made from the query's tree, not from the user's text."""
        return self.findings is not None and self.findings.layout is not None

    @property
    def untuned(self) -> dict[str, str]:
        """What the session has now of the settings to run under."""
        session = self.findings.session if self.findings is not None else {}
        return {key: session[key] for key in self.tuning if key in session}

    @property
    def appends(self) -> bool:
        """Whether the state is changed by an INSERT."""
        return isinstance(self.merge, AppendSql)

    @property
    def altered(self) -> str:
        """The SELECT of the view for ALTER VIEW."""
        return named(self.view, [name for name, _ in self.outputs])

    @property
    def metadata(self) -> str:
        """What the commit records."""
        return self.watermark.encode()


def technique_of(layout: Layout) -> Technique:
    """How an incremental refresh changes a state of this layout."""
    if layout.appended:
        return Technique.APPEND
    if layout.style is not Style.GROUPS:
        windowed = any(isinstance(node, Window) for node in walk(layout.input))
        return Technique.AFFECTED_PARTITIONS if windowed else Technique.ROW_BASED
    return Technique.AFFECTED_GROUPS if layout.recomputes else Technique.GROUP_AGGREGATE
