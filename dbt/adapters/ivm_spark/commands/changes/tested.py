"""How far the tests of a view's changed rows have come: what each has to read now.

A test that holds for a view, and for each row that refreshes have added since, holds for the view.
So it reads the whole view once, and then the rows that were added. The properties of a view
`ivm_tested` of the schema record, for each test, the refresh up to which it has passed. The model's
own view would not do: two statements that alter one view at once may undo each other, and one of
them may be a refresh's.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.clock import reads_clock
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.analysis.repeatability import reads_only_sources
from dbt.adapters.ivm_spark.commands.changes.feed import Refresh, refreshes_in
from dbt.adapters.ivm_spark.plan.plan import RefreshKind
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.session.literals import sql_literal
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.watermark.history import since_last_refresh
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, ROW
from dbt.adapters.ivm_spark.watermark.watermark import newest

_TESTED = "ivm_spark.tested."
_NOTE = "the properties of this view record how far the tests of changed rows have come"


@dataclass(frozen=True)
class Span:
    """What a test has to read.

    Attributes:
        since: the refresh up to which it has passed, None to read the whole view.
        now: the newest refresh, None for a relation that is no ivm model's view.
        mark: what to record when it has passed.
    """

    since: int | None
    now: int | None = None
    mark: str = ""

    @property
    def whole(self) -> bool:
        """Return whether the whole view is to be read."""
        return self.since is None

    @property
    def empty(self) -> bool:
        """Return whether no refresh has changed the view since the test has passed."""
        return self.since is not None and self.since == self.now


def span(
    properties: Mapping[str, str],
    refreshes: Sequence[Refresh],
    records: Mapping[str, str],
    test: str,
) -> Span:
    """Return what a test has to read of a view.

    Args:
        properties: of the view.
        refreshes: of its state, oldest first.
        records: how far tests have come.
        test: the name of the test, unique in the project.
    """
    if PROPERTY not in properties or not refreshes:
        return Span(None)
    last = refreshes[-1].watermark
    found = Span(None, last.refresh, f"{last.state_id}.{last.fingerprint}.{last.refresh}")
    state, fingerprint, number = (records.get(_key(test), "") + "..").split(".")[:3]
    if (state, fingerprint) != (last.state_id, last.fingerprint) or not number.isdigit():
        return found
    passed = int(number)
    later = [r.watermark for r in refreshes if r.watermark.refresh > passed]
    incremental = all(w.story.kind == RefreshKind.INCREMENTAL.value for w in later)
    complete = len(later) == last.refresh - passed
    if not incremental or not complete or not properties.get(ROW):
        return found
    return Span(passed, found.now, found.mark)


class PassedTests:
    """Reads and records how far tests have come, through one connection.

    In every method, view, state and records are quoted names.
    """

    _alone = threading.Lock()
    """Held while a test that has passed is recorded: a process runs several at once."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._reader = SourceReader(query)

    @staticmethod
    def is_of_one_row(*conditions: str | None) -> bool:
        """Return whether conditions certainly depend on nothing but the row that they are asked of.

        One that reads the clock or another relation may cease to hold for a row that has passed.
        """
        for condition in filter(None, conditions):
            try:
                asked = sqlglot.parse_one(f"select 1 where {condition}", dialect=IvmSpark)
            except SqlglotError:
                return False
            inner = [q for q in asked.find_all(exp.Query) if q is not asked]
            if inner or reads_clock(asked) or not reads_only_sources(asked):
                return False
        return True

    def span(self, view: str, state: str, records: str, test: str) -> Span:
        """Return what a test has to read of a relation, which need not be an ivm model's view."""
        properties = self._properties(view)
        if PROPERTY not in properties:
            return Span(None)
        if newest(since_last_refresh(self._reader, state)).modified:
            return Span(None)
        try:
            recorded = self._properties(records)
        except DbtDatabaseError as error:
            if not says_condition(error):
                raise
            recorded = {}  # no test has passed in this schema
        return span(properties, refreshes_in(self._reader.commits(state, 0)), recorded, test)

    def passed(self, records: str, test: str, found: Span) -> None:
        """Record that a test has passed up to the newest refresh."""
        if not found.mark or found.empty:
            return
        key, mark = sql_literal(_key(test)), sql_literal(found.mark)
        with self._alone:
            self._query(
                f"create view if not exists {records} as select {sql_literal(_NOTE)} as note"
            )
            self._query(f"alter view {records} set tblproperties ({key} = {mark})")

    def _properties(self, view: str) -> dict[str, str]:
        rows = self._query(f"show tblproperties {view}")
        return {str(row["key"]): str(row["value"]) for row in rows}


def _key(test: str) -> str:
    return _TESTED + hashlib.sha256(test.encode()).hexdigest()[:16]
