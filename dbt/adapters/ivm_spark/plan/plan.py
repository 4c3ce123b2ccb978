"""The plan of a run for one view, with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from dbt.adapters.ivm_spark.algebra.materialized import FEW_ROWS
from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Window
from dbt.adapters.ivm_spark.physical.broadcast import JOINED
from dbt.adapters.ivm_spark.physical.lower import Statements
from dbt.adapters.ivm_spark.plan.change import Change
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.no_op_updates import NoOpUpdates
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.state.held import named
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.state.rewrite import Before, Rebuild, StateChange
from dbt.adapters.ivm_spark.watermark.build import Build
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration
from dbt.adapters.ivm_spark.watermark.cost_model import Estimates
from dbt.adapters.ivm_spark.watermark.watermark import Story, Watermark

DETAIL = 300
"""Characters of a reason's detail that a watermark stores; the detail may be a whole message of
Spark's."""


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
class Comparison:
    """The statements of a rebuild that writes only the rows that differ.

    Attributes:
        new: the name of the temporary view of the new contents, whose text is the plan's `fill`.
        statements: materialize the difference, and merge it into the state.
        counts: a query for how many rows the state loses and gains, columns `lost` and `gained`.
        rows: rows of the state before, 0 if they are not known.
        moved: a source has changed, so the commit records the versions even if no row differs.
    """

    new: str
    statements: Statements
    counts: str
    rows: int
    moved: bool


@dataclass(frozen=True)
class Parts:
    """How a rebuild collects the new contents of a state part by part.

    Attributes:
        table: the quoted name of the table that collects them.
        by: the state's column by whose ranges it does.
        type_name: Spark's type of this column.
        columns: of the state.
        wanted: the number of parts, 0 if it depends on the rows of the sources.
        question: the query for the number of rows and the bounds.
        contents: digest of the query of all rows, and of the settings that it depends on.
        resumes: the unfinished build to continue, None for a new one.
    """

    table: str
    by: str
    type_name: str
    columns: tuple[str, ...]
    wanted: int
    question: str
    contents: str
    resumes: Build | None = None


@dataclass(frozen=True)
class Plan:
    """One refresh.

    Its kinds `NoChange`, `Incremental` and `Full` say what it does to the state.

    Attributes:
        watermark: the watermark that its commit records.
        kind: the kind of the refresh.
        technique: how the refresh changes the state.
        reason: why the refresh is full; for a first build, why the query is not maintained.
        view: the SELECT of the view, empty if the view fits already.
        shown: the mark that the view gets.
        row: what a row of the state shows in the view.
        alters: the view exists and is altered; otherwise it is created.
        held_at: the version of the state at which readers are held while it changes together with
            the view, None if the view does not change.
        outputs: (name, Spark type) of the query's columns.
        ranges: the version range of each source, by quoted name.
        estimates: the seconds that both ways would take.
        tuning: the session settings to run under.
        warning: a warning for the user, or empty.
        table: how the state's table is to be laid out.
        alteration: the changes that make the existing table match `table`.
        findings: the findings that the plan was made from, None if nothing was looked at.
    """

    watermark: Watermark
    kind: RefreshKind = RefreshKind.NONE
    technique: Technique = Technique.NO_OP
    reason: Reason | None = None
    view: str = ""
    shown: str = ""
    row: str = ""
    alters: bool = False
    held_at: int | None = None
    outputs: tuple[tuple[str, str], ...] = ()
    ranges: Mapping[str, VersionRange] = field(default_factory=dict)
    estimates: Estimates | None = None
    tuning: dict[str, str] = field(default_factory=dict)
    warning: str = ""
    table: Configuration = field(default_factory=Configuration)
    alteration: Alteration = field(default_factory=Alteration)
    findings: Findings | None = field(default=None, repr=False)

    @property
    def statements(self) -> Statements | None:
        """Return the statements that change the state's rows.

        None if nothing changes them, or if all rows are replaced.
        """
        return None

    def replacement(self, before: Before) -> StateChange | None:
        """Return what may take the place of the statement that changes the state, if anything."""
        return None if self.statements is None else self.statements.replacement(before)

    @property
    def compares(self) -> bool:
        """Return whether it is a rebuild that writes only the rows that differ."""
        return False

    @property
    def query_change(self) -> dict[str, str] | None:
        """Return what an edit of the model's SQL changes in a state that is kept or read for it."""
        found = self.findings
        if found is not None and found.reused is not None and found.query_change is not None:
            return {"state": "reused", "changes": found.query_change.how}
        edit = None if found is None else found.edit
        if edit is None or self.kind is not RefreshKind.INCREMENTAL:
            return None
        return {"state": "kept", "changes": edit.how}

    @property
    def holds_readers(self) -> bool:
        """Return whether readers of the view see its old rows until the view fits the new state.

        They do if the view and the rows that it stands on change.
        """
        edit = None if self.findings is None else self.findings.edit
        moves = self.kind is RefreshKind.FULL or (edit is not None and edit.edited)
        return self.held_at is not None and moves

    @property
    def few(self) -> bool:
        """Return whether the change probably has at most `FEW_ROWS` rows."""
        return False

    @property
    def fill(self) -> str:
        """Return the SELECT of a rebuild, empty for any other refresh."""
        return ""

    @property
    def no_ops(self) -> frozenset[str]:
        """Return the sources that moved, but whose changes have no net effect on the view."""
        return frozenset()

    @property
    def trusted(self) -> frozenset[str]:
        """Return the sources that moved, but whose changes a foreign key leaves out of a join."""
        return frozenset()

    def begun(self, started: int) -> Plan:
        """Return the same plan, with the start of the refresh and its story in the watermark.

        `started` is in milliseconds since 1970.
        """
        stats = replace(self.watermark.stats, started=started)
        return replace(self, watermark=replace(self.watermark, stats=stats, story=self._story))

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
        """Return whether its statements were made from the query's tree, not the user's text."""
        return self.findings is not None and self.findings.layout is not None

    @property
    def untuned(self) -> dict[str, str]:
        """Return the values that the session has now for the settings to run under."""
        session = self.findings.session if self.findings is not None else {}
        return {key: session[key] for key in self.tuning if key in session}

    @property
    def altered(self) -> str:
        """Return the SELECT of the view for ALTER VIEW."""
        return named(self.view, [name for name, _ in self.outputs])

    @property
    def metadata(self) -> str:
        """Return the watermark as text for the commit's metadata."""
        return self.watermark.encode()


@dataclass(frozen=True)
class NoChange(Plan):
    """A run in which no source has moved; the state stays as it is."""


@dataclass(frozen=True)
class Incremental(Plan):
    """An incremental refresh.

    Attributes:
        change: the change that the refresh makes to the state.
        prepared: its statements, narrowed by the answers so far.
        ignored: the sources whose changes have no net effect on the view.
        no_op_updates: the question still to ask about such changes, None if there is none.
        frozen_changes: the query for how many frozen rows would change, empty if none are frozen.
    """

    change: Change | None = None
    prepared: Statements | None = None
    ignored: frozenset[str] = frozenset()
    no_op_updates: NoOpUpdates | None = None
    frozen_changes: str = ""

    @property
    def statements(self) -> Statements | None:
        return self.prepared

    @property
    def no_ops(self) -> frozenset[str]:
        return self.ignored

    @property
    def trusted(self) -> frozenset[str]:
        return frozenset() if self.change is None else self.change.derivation.trusted

    @property
    def few(self) -> bool:
        return 0 < self.watermark.stats.work.changed <= FEW_ROWS // JOINED

    def without(self, no_ops: frozenset[str]) -> Incremental:
        """Return the same refresh without the changes of sources that turned out to be no-ops.

        Its statements leave them out, and so does the work in its watermark.
        """
        assert self.change is not None
        ignored = self.ignored | no_ops
        work = self.change.work(ignored, self.watermark.stats.work)
        watermark = replace(self.watermark, stats=replace(self.watermark.stats, work=work))
        statements = self.change.statements(ignored)
        return replace(self, ignored=ignored, prepared=statements, watermark=watermark)


@dataclass(frozen=True)
class Full(Plan):
    """A rebuild.

    Attributes:
        select: the SELECT of the state's new contents.
        comparison: for a rebuild that writes only the rows that differ; None if the table is
            replaced.
        keeps_table: the table stays as it is, and the rebuild is a short one, so a transaction may
            overwrite its rows.
        parts: how it collects its contents part by part, None if it does not, or has done so.
    """

    select: str = ""
    comparison: Comparison | None = None
    keeps_table: bool = False
    parts: Parts | None = None

    def replacement(self, before: Before) -> StateChange | None:
        if self.comparison is not None:
            return super().replacement(before)
        return Rebuild(self.select) if self.keeps_table else None

    @property
    def statements(self) -> Statements | None:
        return None if self.comparison is None else self.comparison.statements

    @property
    def compares(self) -> bool:
        return self.comparison is not None

    @property
    def fill(self) -> str:
        return self.select

    @property
    def whole(self) -> Full:
        """Return the same rebuild without a comparison, which replaces the table."""
        stats = replace(self.watermark.stats, compared=False, differed=0.0)
        watermark = replace(self.watermark, stats=stats)
        return replace(self, comparison=None, watermark=watermark)

    def differing(self, fraction: float) -> Full:
        """Return the same comparing rebuild, with the fraction of rows that differ."""
        stats = replace(self.watermark.stats, compared=True, differed=fraction)
        return replace(self, watermark=replace(self.watermark, stats=stats))


def technique_of(layout: Layout) -> Technique:
    """Return how an incremental refresh changes a state of this layout."""
    if layout.appended:
        return Technique.APPEND
    if layout.style is not Style.GROUPS:
        windowed = any(isinstance(node, Window) for node in walk(layout.input))
        return Technique.AFFECTED_PARTITIONS if windowed else Technique.ROW_BASED
    return Technique.AFFECTED_GROUPS if layout.recomputes else Technique.GROUP_AGGREGATE
