"""One refresh from plan to commit, as the materialization steps through it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import CompilationError, DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.physical.runtime_filters import (
    Answer,
    Question,
    answered,
    open_questions,
    questions_sql,
)
from dbt.adapters.ivm_spark.plan.comparing import MUCH
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.nets import Nets
from dbt.adapters.ivm_spark.plan.plan import Comparison, MergeSql, Plan, RefreshKind
from dbt.adapters.ivm_spark.plan.planner import Planner
from dbt.adapters.ivm_spark.plan.refusals import RefusedError, refused, rejection
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.warnings import in_full
from dbt.adapters.ivm_spark.refresh.hold import hold, release
from dbt.adapters.ivm_spark.refresh.outcome import (
    Outcome,
    commit_settings,
    merged,
    outcome_of_error,
    response,
)
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.state.difference import GAINED, LOST
from dbt.adapters.ivm_spark.watermark.shown import mark_in
from dbt.adapters.ivm_spark.watermark.watermark import decode

ATTEMPTS = 5


class Refresher:
    """Plans, and commits what the macros render, until the state is at the plan's versions.

    The macros keep what `kept` gives, read `plan`, render its statement and hand it to `commit`;
    while `again` is true they do so once more, because another run was first, the changes could
    not be read, or Spark rejected a statement. `late_warning` is what a refresh warns of in the
    end.
    """

    def __init__(
        self, query: Query, pins: Pins, request: Request, model: str, nets: Nets | None = None
    ) -> None:
        self._query = query
        self._request = request
        self._model = model
        self._pins = pins
        self._planner = Planner(query, pins, token=uuid.uuid4().hex[:8], nets=nets)
        self._phases: dict[str, float] = {}
        self._outcome = Outcome(False)
        self._kept: list[str] = []
        self._tuned = False
        self._rejected: Reason | None = None
        self._difference: tuple[int, int] | None = None
        self.late_warning = ""
        self.attempts = range(ATTEMPTS)
        self.again = True
        self.plan = self._planned()

    @classmethod
    def for_model(
        cls, query: Query, pins: Pins, nets: Nets, *, model: str, **said: Any
    ) -> Refresher:
        """A refresher for a model; its plan is made. Raises as `Request.of_model` does."""
        return cls(query, pins, Request.of_model(model=model, **said), model, nets)

    def kept(self) -> Iterator[tuple[str, str]]:
        """Name and query of each temporary relation that the MERGE reads, to be kept one by one;
        where they end, the plan's MERGE is ready, or the plan is another one without a MERGE."""
        if self.plan.comparison is not None:
            yield from self._compared(self.plan.comparison)
            return
        answers = dict[Question, Answer]()
        self._leave_out_idle()
        merge = self.plan.merge
        for number in range(len(merge.asks) if merge is not None else 0):
            if merge is not None and number == len(merge.kept) and self._gains_only():
                return
            self._narrow(number, answers)
            if self.plan.merge is None:
                return
            yield from self.plan.merge.kept[number : number + 1]

    def keep(self, name: str, sql: str) -> None:
        """Run the statement that keeps a temporary relation. Raises as `commit` does."""
        if self.plan.merge is None:
            return
        with self._keeping():
            # Before it is sent: it may be there though no answer comes.
            self._kept.append(name)
            self._query(sql)

    def commit(self, sql: str) -> None:
        """Run the statement that changes the state, with the watermark in the same commit.

        Raises DbtDatabaseError for what is neither a lost race nor a lost change feed, and
        CompilationError for a lost change feed under refresh_policy incremental_strict.
        """
        self.plan = self.plan.begun(round((time.time() - self._before_commit()) * 1000))
        started = time.perf_counter()
        try:
            self._tune()
            outcome = self._committed(sql)
            began = self.plan.watermark.stats.started / 1000
            outcome = replace(outcome, seconds=time.time() - began)
        finally:
            self._clean_up()
            self._spent("apply", started)
        self._settle(outcome)

    def show(self, sql: str) -> None:
        """Run a statement that sets the view. `again` is true where Spark rejects it and the state
        is to be rebuilt from the query's own text. Raises DbtDatabaseError for any other error."""
        try:
            self._query(sql)
        except DbtDatabaseError as error:
            reason = rejection(str(error.msg)) if self.plan.is_reconstructed else None
            if reason is None:
                raise
            self._settle(Outcome(False, broken=reason))

    def _compared(self, comparison: Comparison) -> Iterator[tuple[str, str]]:
        """The difference of a rebuild, to be kept; after it the plan is one that fits its size, or
        there is nothing left to do."""
        with self._keeping():
            self._kept.append(comparison.new)
            self._query(f"create temporary view {comparison.new} as\n{self.plan.fill}")
        if self.plan.merge is None:
            return
        yield from self.plan.merge.kept
        if self.plan.merge is None:
            return
        with self._keeping():
            (row,) = self._query(comparison.counts)
            lost, gained = int(row[LOST]), int(row[GAINED])
            self._settle_difference(comparison, lost, gained)

    def _settle_difference(self, comparison: Comparison, lost: int, gained: int) -> None:
        after, differed = comparison.rows + gained - lost, max(lost, gained)
        if not differed and not comparison.moved:
            self._clean_up()
            self._settle(Outcome(True, written=False, differed=0, rows=after))
        elif differed > MUCH * max(after, 1):
            self._clean_up()
            self.plan = self.plan.whole
        else:
            self._difference = (differed, after)
            self.plan = self.plan.differing(differed / max(after, 1))

    def _before_commit(self) -> float:
        """Seconds that the refresh has taken by now; to know a new query is no part of it."""
        known = 0.0 if self.plan.watermark.stats.first else self._phases.get("plan", 0.0)
        return known + self._phases.get("keep", 0.0)

    def _leave_out_idle(self) -> None:
        """Ask which changes come to nothing, and leave them out."""
        no_op_updates = self.plan.no_op_updates
        if no_op_updates is None:
            return
        with self._keeping():
            idle = no_op_updates.idle(int(row["number"]) for row in self._query(no_op_updates.sql))
            if idle:
                self.plan = self.plan.without(idle)

    def _gains_only(self) -> bool:
        """Ask, once the change is kept, whether the state loses rows; where it does not, the MERGE
        becomes an INSERT."""
        merge = self.plan.merge
        if not isinstance(merge, MergeSql) or not merge.loses:
            return False
        with self._keeping():
            if not int(self._query(merge.loses)[0]["lost"]):
                self.plan = replace(self.plan, merge=merge.insert)
                return True
        return False

    def _narrow(self, number: int, answers: dict[Question, Answer]) -> None:
        """Ask what a statement wants to know of what is kept by now, and put it in."""
        merge, merge_with = self.plan.merge, self.plan.merge_with
        if merge is None or merge_with is None:
            return
        wanted = open_questions(merge.asks, number, set(self._kept), answers)
        if not wanted:
            return
        with self._keeping():
            rows = self._query(to_sql(questions_sql(wanted), pretty=True))
            answers.update(answered(wanted, rows))
            self.plan = replace(self.plan, merge=merge_with(answers, self.plan.idle))

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """Around what is asked and kept before the statement: the refresh's settings, its time, and
        what becomes of it where the change can't be read."""
        started = time.perf_counter()
        try:
            self._tune()
            yield
        except DbtDatabaseError as error:
            self._give_up(error)
        finally:
            self._spent("keep", started)

    def _give_up(self, error: DbtDatabaseError) -> None:
        """What is kept can't be computed: rebuild if the changes are lost, else raise."""
        self._clean_up()
        outcome = self._outcome_of(error)
        if self.plan.comparison is not None and not (outcome is not None and outcome.lost):
            # Whose error it is the statement that replaces the table will say.
            self.plan = self.plan.whole
            return
        if outcome is None:
            raise error
        self._settle(outcome)

    def _outcome_of(self, error: DbtDatabaseError) -> Outcome | None:
        return outcome_of_error(str(error.msg), self.plan.kind, self.plan.is_reconstructed)

    def _tune(self) -> None:
        if not self._tuned:
            self._tuned = True
            self._set(self.plan.tuning)

    def _clean_up(self) -> None:
        # The last first: Spark would compute anew what is kept of what it forgets.
        for name in reversed(self._kept):
            self._query(f"drop view if exists {name}")
        self._kept = []
        if self._tuned:
            self._tuned = False
            self._unset(self.plan.tuning)

    def _set(self, settings: Mapping[str, str]) -> None:
        for key, value in settings.items():
            self._query(f"set {key}={value}")

    def _unset(self, settings: Mapping[str, str]) -> None:
        for key in settings:
            before = self.plan.untuned.get(key)
            self._query(f"reset {key}" if before is None else f"set {key}={before}")

    def _settle(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.again = not self._outcome.done
        if self._outcome.broken is not None:
            self._rebuild(self._outcome.broken)
        elif self._outcome.lost:
            self.plan = self._planned()
        elif self._outcome.whole:
            self.plan = self.plan.whole
        if self.again and self.plan.kind is RefreshKind.NONE:
            self.again = False

    def _rebuild(self, reason: Reason) -> None:
        """Plan a rebuild, from the user's own text where ours is at fault.

        Raises CompilationError where the policy forbids it.
        """
        if self._request.config.refresh_policy is RefreshPolicy.INCREMENTAL_STRICT:
            raise CompilationError(f"Model {self._model}: {refused(reason)}")
        self._request = replace(self._request, full_refresh=True)
        if reason.code.is_defect:
            self._rejected = reason
            self.late_warning = in_full(reason)
        self.plan = replace(self._planned(), reason=reason)

    def end(self) -> None:
        """Note that view and state are built, for the models of the run that read them."""
        self._pins.done(self._request.view, self._request.state)

    def response(self) -> dict[str, Any]:
        """The fields of adapter_response."""
        return response(self.plan, self._outcome, self._phases)

    def _planned(self) -> Plan:
        started = time.perf_counter()
        try:
            plan = self._planner.plan(self._request, self._rejected)
        except RefusedError as error:
            raise CompilationError(f"Model {self._model}: {error}") from error
        finally:
            self._spent("plan", started)
        self.again = plan.kind is not RefreshKind.NONE
        return plan

    def _spent(self, phase: str, started: float) -> None:
        self._phases[phase] = self._phases.get(phase, 0.0) + time.perf_counter() - started

    def _committed(self, sql: str) -> Outcome:
        settings = commit_settings(self.plan)
        try:
            self._hold()
            self._set(settings)
            rows = self._query(sql)
        except DbtDatabaseError as error:
            outcome = self._outcome_of(error)
            if self.plan.comparison is not None and not (outcome is not None and outcome.lost):
                return Outcome(False, whole=True)
            if outcome is None:
                self._release()
                raise
            return outcome
        finally:
            self._unset(settings)
        if self.plan.merge is not None and rows:
            outcome = merged(rows[0])
            if outcome.inserted or outcome.updated or outcome.deleted:
                return self._with_difference(outcome)
        return self._verified()

    def _with_difference(self, outcome: Outcome) -> Outcome:
        """The outcome of a statement that was committed, with what a comparison has found."""
        if self.plan.comparison is None or self._difference is None:
            return outcome
        differed, after = self._difference
        return replace(outcome, differed=differed, rows=after)

    def _hold(self) -> None:
        plan, request = self.plan, self._request
        if plan.kind is not RefreshKind.FULL or plan.held_at is None:
            return
        mark = mark_in(request.information)
        hold(self._query, request.view, request.state, plan.held_at, mark)

    def _release(self) -> None:
        if self.plan.held_at is not None:
            release(self._query, self._request.view, self._request.state)

    def _verified(self) -> Outcome:
        """Whether the newest commit is this one: one that is skipped as a repeat returns no row or
        zeros, as one that changes nothing does, and a rebuild returns nothing."""
        newest = SourceReader(self._query).commits(self._request.state, None)[0]
        if decode(newest.metadata) != self.plan.watermark:
            return Outcome(False, lost=True)
        if self.plan.merge is not None and not self.plan.appends:
            return self._with_difference(Outcome(True))
        return Outcome(True, inserted=int(newest.metrics.get("numOutputRows", 0)))
