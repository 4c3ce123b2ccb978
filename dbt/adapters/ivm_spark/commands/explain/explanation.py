"""How a model is maintained and what its next refresh would do. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import not_too_deep
from dbt.adapters.ivm_spark.commands.explain.operators import Operator, operators
from dbt.adapters.ivm_spark.commands.explain.readable import name_text
from dbt.adapters.ivm_spark.commands.explain.state_columns import (
    StateColumn,
    state_columns,
    stored_columns,
)
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.plan import Plan, technique_of
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.watermark.build import Build
from dbt.adapters.ivm_spark.watermark.watermark import Watermark

IVM = "ivm"


@dataclass(frozen=True)
class SourceState:
    """A source of the model.

    The last three fields are None if the plan did not look at the source's changes.

    Attributes:
        name: its name.
        feed: its changes can be read, from a change feed or by the ids of its rows.
        recorded: the version that the state is at, None before the first build.
        newest: its newest version.
        changed_rows: rows that changed between these versions.
        effect: what the commits between them do: `nothing`, `inserts`, `deletes` or `general`.
        broken: why these changes can't be read, None if they can.
        files: it is a table of files, without versions and a change feed.
        snapshots: it is an Iceberg table, whose versions are ids of snapshots.
    """

    name: str
    feed: bool
    recorded: int | None
    newest: int
    changed_rows: int | None
    effect: str | None
    broken: Reason | None
    files: bool = False
    snapshots: bool = False


@dataclass(frozen=True)
class Explanation:
    """The explanation of a model.

    Attributes:
        model: dbt's id of it.
        materialized: its config: `ivm`, or another materialization until it is an ivm model.
        view: name of its view.
        state: name of its state.
        policy: its `refresh_policy`.
        technique: of its incremental refreshes, None if it has none; `reason` then says why.
        reason: why its refreshes are not incremental, None if they are.
        tree: its operators, None if the query could not be read or nests too deep.
        columns: the state's columns.
        key: the state's columns that rows are matched by.
        sources: the sources that its query reads.
        recorded: the state's watermark, None if there is none.
        plan: of the next refresh.
        shown: the view's SELECT.
        refused: why the next refresh would be an error instead.
        statements: name and SQL of each statement.
        plan_difference: lines of a diff of Spark's plans for the model and for what was read of it,
            if they show that the query was not read for certain.
        frozen: the condition of the rows that no refresh touches, empty for none.
        build_by: the column by whose ranges it is built, empty for none.
        unfinished: a build in parts that a run has not finished, None without one.
        clock: (constant, recorded value, value now) of each constant that depends on the current
            time. The recorded value is empty before a build.
    """

    model: str
    materialized: str
    view: str
    state: str
    policy: RefreshPolicy
    technique: str | None
    reason: Reason | None
    tree: Operator | None
    columns: tuple[StateColumn, ...]
    key: tuple[str, ...]
    sources: tuple[SourceState, ...]
    recorded: Watermark | None
    plan: Plan
    shown: str
    refused: str = ""
    statements: tuple[tuple[str, str], ...] = ()
    plan_difference: tuple[str, ...] = ()
    frozen: str = ""
    build_by: str = ""
    unfinished: Build | None = None
    clock: tuple[tuple[str, str, str], ...] = ()

    @property
    def maintained(self) -> bool:
        """Return whether the model's refreshes are incremental as long as nothing happens to it."""
        return self.reason is None

    def faults(self, techniques: Sequence[str] | None) -> tuple[Mapping[str, str], ...]:
        """Return the failures of a test that the model is maintained: at most one row.

        techniques: the techniques that pass, None for all.
        """
        told: tuple[str, ...]
        if self.materialized != IVM:
            sentence = f"The model is materialized as {self.materialized}."
            told = ("NOT_IVM", sentence, "", "Set materialized: ivm, or remove the test.")
        elif self.reason is not None:
            told = tuple(self.reason.facts.values())
        elif techniques is not None and self.technique not in techniques:
            wanted = ", ".join(techniques)
            sentence = f"The model's technique is {self.technique}; the test allows: {wanted}."
            told = ("OTHER_TECHNIQUE", sentence, "", "Change the query or the test's techniques.")
        else:
            return ()
        names = ("model", "reason", "sentence", "detail", "remedy")
        return (dict(zip(names, (self.model, *told), strict=True)),)


def explanation(
    model: str, materialized: str, request: Request, plan: Plan, refused: str
) -> Explanation:
    """Return the explanation of the plan for a request."""
    found = plan.findings
    assert found is not None
    reading, layout = found.reading, found.layout
    view = reading.view
    columns = stored_columns(found.facts.outputs)
    if layout is not None:
        columns = state_columns(layout, found.facts.types)
    sources = tuple(_source(name, found, plan) for name in found.heads)
    policy = request.config.refresh_policy
    return Explanation(
        model=model,
        materialized=materialized,
        view=name_text(request.view),
        state=name_text(request.state),
        policy=policy,
        technique=technique_of(layout).value if layout is not None else None,
        reason=reading.unsupported_reason or _configured(policy) or _without_feed(sources),
        tree=_tree(view, layout) if view is not None else None,
        columns=columns,
        key=layout.identity if layout is not None else (),
        sources=sources,
        recorded=found.watermark,
        plan=plan,
        shown=found.view_text(request.state, pretty=True),
        refused=refused,
        frozen=request.config.frozen_where,
        build_by=request.config.build_by,
        clock=_clock(found),
    )


def _clock(found: Findings) -> tuple[tuple[str, str, str], ...]:
    recorded = found.watermark.clock if found.watermark is not None and found.known else {}
    return tuple((c, recorded.get(c, ""), value) for c, value in found.clock.recorded.items())


def _tree(view: View, layout: Layout | None) -> Operator | None:
    try:
        with not_too_deep():
            return operators(view.root, layout, view.above)
    except NotMaintained:
        return None


def _configured(policy: RefreshPolicy) -> Reason | None:
    if policy is not RefreshPolicy.FULL:
        return None
    return Reason(ReasonCode.FULL_REFRESH_REQUESTED, "refresh_policy: full")


def _without_feed(sources: Sequence[SourceState]) -> Reason | None:
    if sources and all(source.files for source in sources):
        return Reason(ReasonCode.FILES_CHANGED, ", ".join(source.name for source in sources))
    without = [source.name for source in sources if not (source.feed or source.files)]
    return Reason(ReasonCode.CDF_UNAVAILABLE, ", ".join(without)) if without else None


def _source(name: str, found: Findings, plan: Plan) -> SourceState:
    head, known = found.heads[name], plan.ranges.get(name)
    watermark = found.watermark.sources.get(name) if found.watermark is not None else None
    looked = known is not None and watermark is not None and known.recorded == watermark.version
    return SourceState(
        name=name_text(name),
        feed=head.feed or head.tracked or head.snapshots,
        recorded=watermark.version if watermark is not None else None,
        newest=head.version,
        changed_rows=known.rows if known is not None and looked else None,
        effect=known.effect.value if known is not None and looked else None,
        broken=known.broken if known is not None and looked else None,
        files=head.files,
        snapshots=head.snapshots,
    )
