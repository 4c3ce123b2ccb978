"""Brings the table that a model publishes up to its state, in one commit."""

from __future__ import annotations

from typing import Any

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.plan.assembly import OVERWRITE
from dbt.adapters.ivm_spark.plan.plan import Plan
from dbt.adapters.ivm_spark.plan.publication import Publication, Way, publication
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.refresh.outcome import commit_settings, is_lost_race
from dbt.adapters.ivm_spark.refresh.workspace import Workspace
from dbt.adapters.ivm_spark.session.condition import first_line, is_cancelled, says_condition
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.watermark.published import PublishedTable, published


class Publisher:
    """Plans and runs the statement that writes a published table.

    Args:
        query: sends a statement.
        session: the session of the refresh.
        exists: there is a Delta table under the model's name.

    Attributes:
        done: the table has the rows of the state.
        written: how it got them, None if it had them.
    """

    def __init__(self, query: Query, session: Workspace, exists: bool) -> None:
        self._query = query
        self._session = session
        self._reader = SourceReader(query)
        self._exists = exists
        self._next: Publication | None = None
        self.done = False
        self.written: Publication | None = None

    def plan(self, plan: Plan, request: Request) -> Publication | None:
        """Return how to write the table, None if it has the rows already.

        After a statement that failed, it is the next harder way.
        """
        found, self._next = self._next, None
        if found is None:
            found = self._planned(plan, request)
        if found is None or found.way is Way.NOTHING:
            self.done = True
            return None
        return found

    def run(self, sql: str, found: Publication, plan: Plan, view: str) -> None:
        """Run the statement of a publication; see whether the table is `done` afterwards.

        Delta skips the statement if another run has written the table since.

        Raises DbtDatabaseError for an error that no other way can avoid.
        """
        mark = found.mark
        settings = commit_settings(mark.encode(), f"{mark.state_id}.published", mark.number)
        if found.way is Way.OVERWRITE:
            settings[OVERWRITE] = "static"
        before = {} if plan.findings is None else plan.findings.session
        try:
            self._session.tune(plan)
            self._session.set(settings)
            self._query(sql)
        except DbtDatabaseError as error:
            if is_lost_race(str(error.msg)):
                self._exists = True
                return
            self._next = found.harder(f"Spark rejected the statement: {first_line(error)}")
            if self._next is None or is_cancelled(error) or not says_condition(error):
                raise
            return
        finally:
            self._session.unset(settings, before)
            self._session.clear()
        self._exists = True
        self.done = self._table(view).mark == mark
        self.written = found if self.done else None

    def _planned(self, plan: Plan, request: Request) -> Publication | None:
        table = self._table(request.view) if self._exists else None
        mark = None if table is None else table.mark
        fits = mark is not None and mark.state_id == plan.watermark.state_id
        commits = self._reader.commits(request.state, mark.version if mark and fits else None)
        found = publication(plan, request, table, commits)
        if found is None or found.changes is None:
            return found
        return found.located(str(self._reader.detail(request.state)["location"]))

    def _table(self, name: str) -> PublishedTable:
        """Return what the newest commits of the table say of it, or all of them."""
        found = published(self._reader.recent(name))
        return found if found.mark is not None else published(self._reader.commits(name, 0))

    @property
    def facts(self) -> dict[str, Any] | None:
        """Return what run_results.json says of it, None if nothing was written."""
        if self.written is None:
            return None
        return {
            "way": self.written.way.value,
            "reason": self.written.reason or None,
            "state_version": self.written.mark.version,
        }
