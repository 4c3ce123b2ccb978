"""One refresh from plan to commit, as the materialization steps through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import CompilationError, DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.materialized import FEW_ROWS
from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.physical.key_ranges import (
    answered,
    questions_sql,
)
from dbt.adapters.ivm_spark.physical.runtime_filters import (
    open_questions,
)
from dbt.adapters.ivm_spark.plan.comparing import MUCH
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.nets import Nets
from dbt.adapters.ivm_spark.plan.plan import Comparison, Full, Incremental, RefreshKind
from dbt.adapters.ivm_spark.plan.refusals import in_full, refused, rejection
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.refresh.commit import Change, Committer
from dbt.adapters.ivm_spark.refresh.hold import release
from dbt.adapters.ivm_spark.refresh.in_parts import RefreshInParts
from dbt.adapters.ivm_spark.refresh.outcome import (
    Outcome,
    outcome_of_error,
    response,
)
from dbt.adapters.ivm_spark.refresh.part_builder import Built, of_build
from dbt.adapters.ivm_spark.refresh.planned import ATTEMPTS
from dbt.adapters.ivm_spark.refresh.progress import Progress
from dbt.adapters.ivm_spark.refresh.summary import Refreshed
from dbt.adapters.ivm_spark.session.condition import (
    is_cancelled,
    says_condition,
)
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.state.difference import GAINED, LOST
from dbt.adapters.ivm_spark.state.frozen import COUNTED
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.watermark.configuration import Alteration

Store = Callable[[str], None]
"""Materializes a relation that probably has at most `FEW_ROWS` rows, by its statement or what may
take the place of that."""


class Refresher(RefreshInParts):
    """Plans a refresh and commits the macros' statements until the state is up to date.

    The state is up to date when it is at the plan's versions. For each of its `attempts`, the
    macros build the `parts` of a rebuild that has some, materialize the relations of
    `materializations`, read `plan`, render its statement and hand it to `commit`. There is another
    attempt if another run was first, if the changes could not be read, or if Spark rejected a
    statement.

    Attributes: see `PlannedRefresh`.
    """

    def __init__(
        self,
        query: Query,
        pins: Pins,
        request: Request,
        model: str,
        nets: Nets | None = None,
        change: Change | None = None,
        store: Store | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(query, pins, request, model, nets, progress)
        self._store = store
        self._outcome = Outcome(False)
        self._committer = Committer(query, self._session, change, self._token)
        self._difference: tuple[int, int] | None = None
        self._built: Built | None = None
        self._follows = False
        self._altered = Alteration()

    @classmethod
    def for_model(
        cls,
        query: Query,
        pins: Pins,
        nets: Nets,
        *,
        model: str,
        change: Change | None = None,
        store: Store | None = None,
        progress: Progress | None = None,
        **said: Any,
    ) -> Refresher:
        """Return a refresher for a model, with its plan made.

        Args:
            query: sends a statement.
            pins: of the run.
            nets: of the run.
            model: the unique id of the model.
            change: runs what may take the place of the statement that changes the state; without
                it, there is only the statement.
            store: materializes a relation of few rows; without it, there is only the statement.
            progress: says what a long refresh is doing.
            said: what the macro `ivm_request` says of the model.

        Raises as `Request.of_model` does.
        """
        request = Request.of_model(model=model, **said)
        return cls(query, pins, request, model, nets, change, store, progress)

    def alteration(self) -> Alteration:
        """Return what the plan alters of the state's table, nothing if that is done already."""
        done, self._altered = self._altered == self.plan.alteration, self.plan.alteration
        return Alteration() if done else self.plan.alteration

    def attempts(self) -> Iterator[int]:
        """Yield the number of each attempt to commit, until the state is at the plan's versions.

        Raises DbtDatabaseError if another run was first each time.
        """
        for attempt in range(ATTEMPTS):
            if not self.again:
                return
            yield attempt
        if self.again:
            if self.plan.holds_readers:
                release(self._query, self._request.view, self._request.state)
            raise self._raced()

    def turns(self) -> Iterator[None]:
        """Yield for each time that the macros change the state and set the view.

        There is another turn if Spark rejected the view, and if a build was one of former versions
        of the sources. Its rows can be read before that refresh.
        """
        yield
        if self.again:
            yield
        if self._follows:
            self._follow_up()
            yield
            if self.again:
                yield

    def materializations(self) -> Iterator[tuple[str, str]]:
        """Yield name and query of each temporary relation to materialize before the MERGE reads it.

        The macros materialize them one by one. After the last one, the plan's MERGE is ready, or
        the plan has become another one without a MERGE.
        """
        if isinstance(self.plan, Full) and self.plan.comparison is not None:
            yield from self._compared(self.plan.comparison)
            return
        self._leave_out_no_ops()
        number = 0
        while number < self._last():
            self._narrow(number)
            if number >= self._last():
                return  # the change can't be read, so the plan is another one now
            assert self.plan.statements is not None
            yield self.plan.statements.materialization(number)
            number += 1
        if number == self._last() and not self._gains_only() and self.plan.statements is not None:
            self._narrow(number)  # unless the question failed, and the plan is another one now

    def keep(self, name: str, sql: str) -> None:
        """Run the statement that materializes a temporary relation. Raises as `commit` does."""
        if self.plan.statements is None:
            return
        number, all_of_them = len(self._session.names) + 1, self._last()
        with self._phase(f"computing relation {number} of {all_of_them}"), self._keeping():
            # Note the name before sending: the relation may exist although no answer comes.
            self._session.names.append(name)
            if self._store is not None and self._is_small(name):
                self._store(sql)
            else:
                self._query(sql)

    def _is_small(self, name: str) -> bool:
        """Return whether a relation to materialize has few rows, certainly or probably."""
        statements = self.plan.statements
        most = None if statements is None else statements.most.get(name)
        return self.plan.few or (most is not None and most <= FEW_ROWS)

    def commit(self, sql: str) -> None:
        """Run the statement that changes the state, with the watermark in the same commit.

        Raises DbtDatabaseError for any error but a lost race or a lost change feed. Raises
        CompilationError for a lost change feed under refresh_policy incremental_strict.
        """
        self.plan = self.plan.begun(round((time.time() - self._before_commit()) * 1000))
        started = time.perf_counter()
        try:
            self._session.tune(self.plan)
            with self._phase("writing"):
                outcome = self._committer.commit(sql, self.plan, self._request, self._difference)
            began = self.plan.watermark.stats.started / 1000
            outcome = replace(outcome, seconds=time.time() - began)
        except DbtDatabaseError as error:
            if is_cancelled(error) or not says_condition(error):
                raise
            if not (self._reads_state or self._lacks_parts):
                raise
            outcome = Outcome(False, lost=True)
        finally:
            self._session.clear()
            self._spent("apply", started)
        if not outcome.done and self._reads_state:
            # Whatever it is, the sources are there.
            self._request = replace(self._request, reads_state=False)
            outcome = Outcome(False, lost=True)
        in_parts = self._builder is not None
        if not outcome.done and in_parts and (outcome.lost or self._lacks_parts):
            self._begin_anew()
            return
        self._settle(replace(outcome, frozen=self._frozen_changes()) if outcome.done else outcome)
        if outcome.done:
            self._note_build()
        self._builder = None

    def _frozen_changes(self) -> int | None:
        """Return how many frozen rows the refresh would have changed, None if that is not known."""
        plan = self.plan
        if not isinstance(plan, Incremental) or not plan.frozen_changes:
            return None
        try:
            (row,) = self._query(plan.frozen_changes)
        except DbtDatabaseError:
            return None  # the refresh is committed, and does not depend on the number
        return int(row[COUNTED])

    def show(self, sql: str) -> None:
        """Run a statement that sets the view.

        `again` becomes true if Spark rejects it and the state is to be rebuilt from the query's own
        text. Raises DbtDatabaseError for any other error.
        """
        try:
            self._query(sql)
        except DbtDatabaseError as error:
            reason = rejection(str(error.msg)) if self.plan.is_reconstructed else None
            if reason is None:
                raise
            self._built, self._follows = None, False
            self._settle(Outcome(False, broken=reason))

    def _note_build(self) -> None:
        """Note a committed build in parts or from a former state, and whether a refresh follows."""
        plan = self.plan
        reused = None if plan.findings is None else plan.findings.reused
        behind = reused is not None and reused.behind
        if self._builder is not None or behind:
            self._built = Built(plan, self._outcome, self._builder)
            self._follows = behind or (self._builder is not None and self._builder.resumed > 0)
        if isinstance(plan, Full) and self._request.in_parts:
            self._drop_parts()  # no build can go on with them any more

    def _follow_up(self) -> None:
        """Plan the refresh of a build that was one of former versions of the sources."""
        assert self._built is not None
        self._follows, self._before = False, dict(self._phases)
        self._request = replace(
            self._request, state_exists=True, occupied_by="", full_refresh=False
        )
        self.plan = self._planned()
        shown = self._built.plan
        if (self.plan.view, self.plan.shown) == (shown.view, shown.shown):
            self.plan = replace(self.plan, view="", held_at=None)  # it has been set

    @property
    def _reads_state(self) -> bool:
        """Return whether the plan is a rebuild from a former query's state."""
        return self.plan.findings is not None and self.plan.findings.reused is not None

    def _compared(self, comparison: Comparison) -> Iterator[tuple[str, str]]:
        """Yield the relations of a rebuild's difference, to be materialized.

        After them, the plan is one that fits the size of the difference, or there is nothing left
        to do.
        """
        with self._keeping():
            self._session.names.append(comparison.new)
            self._query(f"create temporary view {comparison.new} as\n{self.plan.fill}")
        if self.plan.statements is None:
            return
        yield from self.plan.statements.materializations
        if self.plan.statements is None:
            return
        with self._keeping():
            (row,) = self._query(comparison.counts)
            lost, gained = int(row[LOST]), int(row[GAINED])
            self._settle_difference(comparison, lost, gained)

    def _settle_difference(self, comparison: Comparison, lost: int, gained: int) -> None:
        after, differed = comparison.rows + gained - lost, max(lost, gained)
        if not differed and not comparison.moved:
            self._session.clear()
            self._settle(Outcome(True, written=False, differed=0, rows=after))
        elif differed > MUCH * max(after, 1):
            self._session.clear()
            self._replace_table()
        else:
            self._difference = (differed, after)
            assert isinstance(self.plan, Full)
            self.plan = self.plan.differing(differed / max(after, 1))

    def _before_commit(self) -> float:
        """Return the seconds that the refresh has taken so far.

        They do not include the time to learn about a new query.
        """
        earlier = 0.0 if self._builder is None else self._builder.seconds_before
        known = () if self.plan.watermark.stats.first else ("plan",)
        spent = (
            self._phases.get(phase, 0.0) - self._before.get(phase, 0.0)
            for phase in (*known, "keep", "parts")
        )
        return earlier + sum(spent)

    def _leave_out_no_ops(self) -> None:
        """Ask which changes have no net effect, and leave them out."""
        plan = self.plan
        if not isinstance(plan, Incremental) or plan.no_op_updates is None:
            return
        no_op_updates = plan.no_op_updates
        with self._keeping():
            no_ops = no_op_updates.without_effect(
                int(row["number"]) for row in self._query(no_op_updates.sql)
            )
            if no_ops:
                self.plan = plan.without(no_ops)

    def _last(self) -> int:
        """Return how many relations are materialized before the statement, -1 if there is none."""
        statements = self.plan.statements
        return -1 if statements is None else len(statements.materialized)

    def _gains_only(self) -> bool:
        """Return whether the state loses no rows; if so, turn the MERGE into an INSERT.

        The refresh asks once the change is materialized.
        """
        plan = self.plan
        assert isinstance(plan, Incremental) and plan.prepared is not None
        write = plan.prepared.write
        if not isinstance(write, Merge) or write.loses is None:
            return False
        with self._keeping():
            if not self._query(plan.prepared.text(write.loses)):
                self.plan = replace(plan, prepared=plan.prepared.insert)
                return True
        return False

    def _narrow(self, number: int) -> None:
        """Ask about the relations materialized so far, and put the answers into the statements."""
        plan = self.plan
        assert isinstance(plan, Incremental) and plan.prepared is not None
        statements = plan.prepared
        wanted = open_questions(
            statements.asks, number, set(self._session.names), statements.answers
        )
        if not wanted:
            return
        with self._keeping():
            rows = self._query(to_sql(questions_sql(wanted), pretty=True))
            self.plan = replace(plan, prepared=statements.answered(answered(wanted, rows)))

    def _replace_table(self) -> None:
        """Go on without a comparison."""
        assert isinstance(self.plan, Full)
        self.plan = self.plan.whole

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """Run the questions and materializations before the statement.

        They run under the refresh's settings, and their time counts. If one fails, the refresh
        replans or raises the error.
        """
        started = time.perf_counter()
        try:
            self._session.tune(self.plan)
            yield
        except DbtDatabaseError as error:
            self._give_up(error)
        finally:
            self._spent("keep", started)

    def _give_up(self, error: DbtDatabaseError) -> None:
        """Rebuild if the changes can't be read; raise any other error of a materialization."""
        self._session.clear()
        outcome = outcome_of_error(str(error.msg), self.plan.kind, self.plan.is_reconstructed)
        if self.plan.compares and not (outcome is not None and outcome.lost):
            # The statement that replaces the table will say whose error it is.
            self._replace_table()
            return
        if outcome is None:
            raise error
        self._settle(outcome)

    def _settle(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.again = not self._outcome.done
        if self._outcome.broken is not None:
            self._rebuild(self._outcome.broken)
        elif self._outcome.lost:
            self.plan = self._planned()
        elif self._outcome.whole:
            self._replace_table()
        if self.again and self.plan.kind is RefreshKind.NONE:
            self.again = False

    def _rebuild(self, reason: Reason) -> None:
        """Plan a rebuild, from the user's own text if the generated SQL is at fault.

        Raises CompilationError if the policy forbids it.
        """
        if self._request.config.refresh_policy is RefreshPolicy.INCREMENTAL_STRICT:
            raise CompilationError(f"Model {self._model}: {refused(reason)}")
        self._request = replace(self._request, full_refresh=True)
        if reason.code.is_defect:
            self._rejected = reason
            self.late_warning = in_full(reason)
        self.plan = replace(self._planned(), reason=reason)

    def end(self) -> None:
        """Record that view and state are built, for the models of the run that read them.

        Drop the parts of a build that the model no longer asks for. Others stay, for a rebuild that
        may still go on with them.
        """
        self._pins.done(self._request.view, self._request.state)
        if not self._request.config.build_by:
            self._drop_parts()

    @property
    def refreshed(self) -> Refreshed:
        """Return the refresh as the summary of the run counts it."""
        plan = self.plan if self._built is None else self._built.plan
        found = plan.findings
        return Refreshed(
            model=self._request.view.replace("`", "").split(".")[-1],
            kind=plan.kind,
            reason=plan.reason,
            seconds=sum(self._phases.values()),
            rebuild=0.0 if found is None else found.cost_model.full_seconds,
        )

    def response(self) -> dict[str, Any]:
        """Return the fields of adapter_response."""
        if self._built is None:
            return response(self.plan, self._outcome, self._phases)
        return of_build(self._built, self.plan, self._outcome, self._phases)
