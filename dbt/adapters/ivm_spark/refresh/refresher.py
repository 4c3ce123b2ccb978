"""One refresh from plan to commit, as the materialization steps through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import CompilationError, DbtDatabaseError

from dbt.adapters.ivm_spark.plan.pinned_scans import Pin
from dbt.adapters.ivm_spark.plan.plan import Full, Incremental
from dbt.adapters.ivm_spark.plan.publication import Publication
from dbt.adapters.ivm_spark.plan.refusals import rejection
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges
from dbt.adapters.ivm_spark.refresh.commit import Change, Committer
from dbt.adapters.ivm_spark.refresh.materializing import RefreshOfChange, Store
from dbt.adapters.ivm_spark.refresh.outcome import (
    Outcome,
    response,
)
from dbt.adapters.ivm_spark.refresh.part_builder import Built, of_build
from dbt.adapters.ivm_spark.refresh.planned import ATTEMPTS
from dbt.adapters.ivm_spark.refresh.progress import Progress
from dbt.adapters.ivm_spark.refresh.publisher import Publisher
from dbt.adapters.ivm_spark.refresh.summary import Refreshed
from dbt.adapters.ivm_spark.session.condition import (
    first_line,
    is_cancelled,
    says_condition,
)
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.state.frozen import COUNTED
from dbt.adapters.ivm_spark.watermark.configuration import Alteration
from dbt.adapters.ivm_spark.watermark.shown import as_shown, mark_in, unsettled


class Refresher(RefreshOfChange):
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
        changes: SharedChanges | None = None,
        change: Change | None = None,
        store: Store | None = None,
        progress: Progress | None = None,
        pin: Pin | None = None,
    ) -> None:
        super().__init__(query, pins, request, model, changes, progress, pin, store=store)
        self._committer = Committer(query, self._session, change, self._token)
        self._built: Built | None = None
        self._follows = False
        self._drops = False
        self._altered = Alteration()
        self._publisher: Publisher | None = None

    @classmethod
    def for_model(
        cls,
        query: Query,
        pins: Pins,
        changes: SharedChanges,
        *,
        model: str,
        change: Change | None = None,
        store: Store | None = None,
        progress: Progress | None = None,
        pin: Pin | None = None,
        **said: Any,
    ) -> Refresher:
        """Return a refresher for a model, with its plan made.

        Args:
            query: sends a statement.
            pins: of the run.
            changes: of sources, shared by the run.
            model: the unique id of the model.
            change: runs what may take the place of the statement that changes the state; without
                it, there is only the statement.
            store: materializes a relation of few rows; without it, there is only the statement.
            progress: says what a long refresh is doing.
            pin: makes views of sources' rows; without it, sources are read by their names.
            said: what the macro `ivm_request` says of the model.

        Raises as `Request.of_model` does.
        """
        request = Request.of_model(model=model, **said)
        return cls(query, pins, request, model, changes, change, store, progress, pin)

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
            self._release()
            raise self._raced()

    @property
    def is_ready(self) -> bool:
        """Return whether the statement of the plan can be committed in this attempt.

        A rebuild in parts that was planned since the attempt began waits for the next one.
        """
        return self.again and not (isinstance(self.plan, Full) and self.plan.parts is not None)

    def turns(self) -> Iterator[None]:
        """Yield for each time that the macros change the state and set the view.

        There is another turn if Spark rejected the view, and if a build was one of former versions
        of the sources. Its rows can be read before that refresh.
        """
        yield
        if self.again:
            yield
        if self._drops:
            self._drop_used_parts()
        if self._follows:
            self._follow_up()
            yield
            if self.again:
                yield
            if self._drops:
                self._drop_used_parts()

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
            if not (self._reads_rows or self._lacks_parts):
                raise
            outcome = Outcome(False, lost=True)
        finally:
            self._session.clear()
            self._spent("apply", started)
        if not outcome.done and self._reads_rows:
            # Whatever it is, the sources are there.
            config = replace(self._request.config, backfill_from="")
            self._request = replace(self._request, reads_state=False, config=config)
            outcome = Outcome(False, lost=True)
        if outcome.done:
            self._settle(replace(outcome, frozen=self._frozen_changes()))
            self._note_build()
            self._builder, self._held = None, False
            return
        if self.plan.holds_readers:
            self._set_view_again()
            self._held = True
        try:
            self._after_failure(outcome)
        except (CompilationError, DbtDatabaseError):
            self._release()
            raise

    def _set_view_again(self) -> None:
        """Let the next plan set the view, which is not as dbt has seen it any more."""
        mark = mark_in(self._request.information)
        if mark:
            self._request = replace(self._request, information=as_shown(unsettled(mark)))

    def _after_failure(self, outcome: Outcome) -> None:
        """Plan again after the statement was not committed. Raises as `_settle` does."""
        in_parts = self._builder is not None
        if in_parts and (outcome.lost or self._lacks_parts):
            self._begin_anew()
            return
        if in_parts:
            self._builder, self._before = None, dict(self._phases)
        self._settle(outcome)

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
        self._show(lambda: self._query(sql))

    def _show(self, run: Callable[[], object]) -> None:
        try:
            run()
        except DbtDatabaseError as error:
            reason = rejection(str(error.msg)) if self.plan.is_reconstructed else None
            if reason is None:
                raise
            self._built, self._follows = None, False
            self._set_view_again()
            self._settle(Outcome(False, broken=reason))

    def publications(self, exists: bool) -> Iterator[Publication]:
        """Yield how to write the table that the model publishes, until it has the state's rows.

        exists: there is a Delta table under the model's name. Raises DbtDatabaseError if other
        runs were first each time.
        """
        if self._publisher is None:
            self._publisher = Publisher(self._query, self._session, exists)
        publisher = self._publisher
        publisher.done = False
        for _ in range(ATTEMPTS):
            found = publisher.plan(self.plan, self._request)
            if found is None:
                return
            yield found
            if publisher.done or self.again:
                return
        raise self._raced()

    def publish(self, found: Publication, sql: str) -> None:
        """Run the statement that writes the published table. Raises as `show` does."""
        assert self._publisher is not None
        publisher, started = self._publisher, time.perf_counter()

        def run() -> None:
            with self._phase("publishing"):
                publisher.run(sql, found, self.plan, self._request.view)

        try:
            self._show(run)
        finally:
            self._spent("publish", started)

    def _note_build(self) -> None:
        """Note a committed build in parts or from a former state, and whether a refresh follows."""
        plan = self.plan
        reused = None if plan.findings is None else plan.findings.reused
        behind = reused is not None and reused.behind
        if self._builder is not None or behind:
            self._built = Built(plan, self._outcome, self._builder)
            self._follows = behind or (self._builder is not None and self._builder.resumed > 0)
        # No build can go on with the parts any more, and the view comes first.
        self._drops = isinstance(plan, Full) and self._request.in_parts

    def _drop_used_parts(self) -> None:
        """Drop the parts of a build that is committed. The run does not fail if it may not."""
        self._drops = False
        try:
            self._drop_parts()
        except DbtDatabaseError as error:
            if is_cancelled(error) or not says_condition(error):
                raise
            table = self._request.parts
            self.late_warning = f"{table} could not be dropped: {first_line(error)}"

    def _follow_up(self) -> None:
        """Plan the refresh of a build that was one of former versions of the sources."""
        assert self._built is not None
        self._follows, self._before = False, dict(self._phases)
        shown = self._built.plan
        if shown.view:
            information = as_shown(shown.shown, shown.view)
            self._request = replace(self._request, information=information)
        self._request = replace(
            self._request, state_exists=True, occupied_by="", full_refresh=False
        )
        self.plan = self._planned()

    @property
    def _reads_rows(self) -> bool:
        """Return whether the plan is a build from a former query's state, or from a table."""
        found = self.plan.findings
        return found is not None and (found.reused is not None or found.taken is not None)

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
            found = response(self.plan, self._outcome, self._phases)
        else:
            found = of_build(self._built, self.plan, self._outcome, self._phases)
        return {**found, "published": self._publisher.facts if self._publisher else None}
