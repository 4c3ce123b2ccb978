"""Commits the change of a state, with the watermark in the same commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.plan.plan import Plan
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.refresh.hold import hold, release
from dbt.adapters.ivm_spark.refresh.outcome import (
    Outcome,
    commit_settings,
    merged,
    outcome_of_error,
)
from dbt.adapters.ivm_spark.refresh.workspace import Workspace
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.state.rewrite import Before, Replacement
from dbt.adapters.ivm_spark.watermark.shown import mark_in
from dbt.adapters.ivm_spark.watermark.watermark import decode

Change = Callable[[str, Replacement], Sequence[Mapping[str, Any]]]
"""Runs what may take the place of a statement, or the statement, and returns its rows."""


class Committer:
    """Runs the statement that changes a state, and finds out what came of it.

    Args:
        query: sends a statement.
        session: the session of the refresh.
        change: runs what may take the place of the statement; None if nothing may.
        token: makes the names of temporary views unique to the refresh.
    """

    def __init__(self, query: Query, session: Workspace, change: Change | None, token: str) -> None:
        self._query = query
        self._session = session
        self._change = change
        self._token = token

    def commit(
        self, sql: str, plan: Plan, request: Request, difference: tuple[int, int] | None
    ) -> Outcome:
        """Run the statement under the settings of its commit, and return the outcome.

        Args:
            sql: the statement.
            plan: of the refresh.
            request: of the model.
            difference: of a comparing rebuild, the rows that differ and the rows afterwards.

        Raises DbtDatabaseError for any error that is not a known outcome.
        """
        mark = plan.watermark
        settings = commit_settings(plan.metadata, mark.state_id, mark.refresh)
        try:
            made = self._hold(plan, request)
            if made is None:
                return Outcome(False, lost=True)
            self._session.set(settings)
            rows = self._changed(sql, plan, request.state, made)
        except DbtDatabaseError as error:
            outcome = outcome_of_error(str(error.msg), plan.kind, plan.is_reconstructed)
            if plan.compares and not (outcome is not None and outcome.lost):
                return Outcome(False, whole=True)
            if outcome is None:
                # Without an answer, the statement may still be committed.
                if plan.holds_readers and says_condition(error):
                    release(self._query, request.view, request.state)
                raise
            return outcome
        finally:
            self._session.unset(settings, plan.untuned)
        outcome = merged(rows[0]) if rows else None
        if outcome is None or not (plan.statements is None or outcome.moves):
            outcome = self._verified(plan, request.state)
        if not outcome.done or not plan.compares or difference is None:
            return outcome
        differed, after = difference
        return replace(outcome, differed=differed, rows=after)

    def _hold(self, plan: Plan, request: Request) -> int | None:
        """Hold the readers if need be; see `hold`."""
        if not plan.holds_readers:
            return 0
        assert plan.held_at is not None
        mark = mark_in(request.information)
        return hold(self._query, request.view, request.state, plan.held_at, mark)

    def _changed(self, sql: str, plan: Plan, state: str, made: int) -> Sequence[Mapping[str, Any]]:
        """Run the statement that changes the state, or what may take its place.

        made: versions of the state that were made since the plan, besides its ALTER TABLEs.
        """
        replacement = None if self._change is None else self._replacement(plan, state, made)
        if self._change is None or replacement is None:
            return self._query(sql)
        return self._change(sql, replacement)

    def _replacement(self, plan: Plan, state: str, made: int) -> Replacement | None:
        """Return what may take the place of the statement, None if nothing may."""
        found, mark = plan.findings, plan.watermark
        if found is None or found.version is None:
            return None
        version, rows = found.version + plan.alteration.commits + made, found.cost_model.state_rows
        before = Before(state, version, rows, f"ivm_stored_{self._token}", plan.few)
        change = plan.replacement(before)
        if change is None:
            return None
        return Replacement(before, mark.state_id, mark.refresh, change)

    def _verified(self, plan: Plan, state: str) -> Outcome:
        """Return the outcome by whether the newest commit is this refresh's.

        A commit that Delta skips as a repeat returns no row or zeros. So does one that changes
        nothing, and a rebuild returns nothing.
        """
        newest = SourceReader(self._query).commits(state, None)[0]
        if decode(newest.metadata) != plan.watermark:
            return Outcome(False, lost=True)
        if plan.statements is not None and not plan.statements.is_insert:
            return Outcome(True)
        return Outcome(True, inserted=int(newest.metrics.get("numOutputRows", 0)))
