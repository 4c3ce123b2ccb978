"""Explains a model by the same plan that its next run would make, and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.algebra.columns import with_expressions
from dbt.adapters.ivm_spark.algebra.moved import after_move
from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.commands.explain.as_json import as_json
from dbt.adapters.ivm_spark.commands.explain.as_text import as_text
from dbt.adapters.ivm_spark.commands.explain.explanation import Explanation, explanation
from dbt.adapters.ivm_spark.physical.lower import Statements
from dbt.adapters.ivm_spark.plan.change import Change, Derivation
from dbt.adapters.ivm_spark.plan.examined import compared
from dbt.adapters.ivm_spark.plan.parts import unfinished
from dbt.adapters.ivm_spark.plan.plan import Plan
from dbt.adapters.ivm_spark.plan.planner import Planner
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.state.target import Target

FORMATS = ("text", "json")


class Explainer:
    """The explanation of one model; the macros give the SQL its shape.

    Attributes:
        plan: the plan of the next refresh.
        example: the plan's statements. If it has none and the model is maintained, the statements
            after a change of all sources.
        view_sql: the view's SELECT.
    """

    def __init__(self, query: Query, pins: Pins, request: Request, model: str, kind: str) -> None:
        planner = Planner(query, pins, counts=False)
        try:
            under_way = unfinished(query, request)
        except RefusedError as error:
            raise CompilationError(f"Model {model}: {error}") from error
        plan, refused = _planned(planner, request, model)
        self.plan = plan
        self.example = plan.statements or _example(plan, request.state)
        told = explanation(model, kind, request, plan, refused)
        self._told = replace(
            told,
            plan_difference=_difference(query, request, plan),
            unfinished=under_way,
        )
        self.view_sql = self._told.shown

    @classmethod
    def for_model(
        cls, query: Query, pins: Pins, *, model: str, materialized: str, **said: Any
    ) -> Explainer:
        """Explain a model.

        said: as for a refresh, see `Request.of_model`. Raises CompilationError if a run of the
        model would fail on its config or its columns.
        """
        request = replace(Request.of_model(model=model, **said), limited=False)
        return cls(query, pins, request, model, materialized)

    def faults(self, techniques: Sequence[str] | None) -> Sequence[Any]:
        """Return the faults of the model, see `Explanation.faults`."""
        return self._told.faults(techniques)

    def text(self, form: str, statements: Sequence[tuple[str, str]], sql: bool) -> str:
        """Return the explanation as `text` for people, with its SQL on request, or as `json`."""
        told: Explanation = replace(self._told, statements=tuple(statements))
        if form not in FORMATS:
            raise CompilationError(f"format is {form!r}; it must be one of: {', '.join(FORMATS)}.")
        return as_json(told) if form == "json" else as_text(told, sql)


def _planned(planner: Planner, request: Request, model: str) -> tuple[Plan, str]:
    """Return the plan, and why a run would refuse it.

    If a run would refuse it, the plan is that of a run that may rebuild.
    """
    try:
        return planner.plan(request), ""
    except RefusedError as error:
        try:
            plan = planner.plan(request.forgiving)
        except RefusedError:
            raise CompilationError(f"Model {model}: {error}") from error
        return replace(plan, warning=""), str(error)


def _difference(query: Query, request: Request, plan: Plan) -> tuple[str, ...]:
    """Return a diff of Spark's plans for a query that could be read, but not with certainty."""
    found = plan.findings
    reading = found.reading if found is not None else None
    if reading is None or reading.view is None or reading.unsupported_reason is None:
        return ()
    if reading.unsupported_reason.code is not ReasonCode.QUERY_NOT_UNDERSTOOD:
        return ()
    difference = compared(query, request.sql, reading.view).difference
    return () if difference is None else difference.diff


def _example(plan: Plan, state: str) -> Statements | None:
    """Return the statements for a change of every source in its next version."""
    found = plan.findings
    if found is None or found.layout is None or not found.heads:
        return None
    ranges = {
        name: VersionRange(
            head.version, head.version + 1, Effect.GENERAL, 0, first=head.version + 1
        )
        for name, head in found.heads.items()
        if not head.files
    }
    if not ranges:
        return None
    versions = Versions(
        {name: r.first for name, r in ranges.items()}, {n: r.pinned for n, r in ranges.items()}
    )
    # The clock has been followed by then.
    settled = replace(found.layout, input=with_expressions(found.layout.input, after_move))
    change = Change(settled, Derivation(settled, {}), ranges, versions, {}, Target(state))
    return change.statements(frozenset())
