"""How far the tests of a view's changed rows have come: what each has to read now.

A test that holds for a view, and for each row that refreshes have added since, holds for the view.
So it reads the whole view once, and then the rows that were added. A property of the view records,
for each test, the refresh up to which it has passed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbt.adapters.ivm_spark.commands.changes.feed import Refresh, refreshes_in
from dbt.adapters.ivm_spark.plan.plan import RefreshKind
from dbt.adapters.ivm_spark.session.literals import sql_literal
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.watermark.history import since_last_refresh
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, ROW
from dbt.adapters.ivm_spark.watermark.watermark import newest

_TESTED = "ivm_spark.tested."


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


def span(properties: Mapping[str, str], refreshes: Sequence[Refresh], test: str) -> Span:
    """Return what a test has to read of a view.

    Args:
        properties: of the view.
        refreshes: of its state, oldest first.
        test: the name of the test, unique among the view's tests.
    """
    if PROPERTY not in properties or not refreshes:
        return Span(None)
    last = refreshes[-1].watermark
    found = Span(None, last.refresh, f"{last.state_id}.{last.fingerprint}.{last.refresh}")
    state, fingerprint, number = (properties.get(_key(test), "") + "..").split(".")[:3]
    if (state, fingerprint) != (last.state_id, last.fingerprint) or not number.isdigit():
        return found
    passed = int(number)
    later = [r.watermark for r in refreshes if r.watermark.refresh > passed]
    incremental = all(w.story.kind == RefreshKind.INCREMENTAL.value for w in later)
    complete = len(later) == last.refresh - passed
    if not incremental or not complete or not properties.get(ROW):
        return found
    return Span(passed, found.now, found.mark)


class TestReader:
    """Reads and records how far tests have come, through one connection.

    In every method, view and state are quoted names.
    """

    def __init__(self, query: Query) -> None:
        self._query = query
        self._reader = SourceReader(query)

    def span(self, view: str, state: str, test: str) -> Span:
        """Return what a test has to read of a relation, which need not be an ivm model's view."""
        rows = self._query(f"show tblproperties {view}")
        properties = {str(row["key"]): str(row["value"]) for row in rows}
        if PROPERTY not in properties:
            return Span(None)
        if newest(since_last_refresh(self._reader, state)).modified:
            return Span(None)
        return span(properties, refreshes_in(self._reader.commits(state, 0)), test)

    def passed(self, view: str, test: str, found: Span) -> None:
        """Record that a test has passed up to the newest refresh."""
        if found.mark and not found.empty:
            key, mark = sql_literal(_key(test)), sql_literal(found.mark)
            self._query(f"alter view {view} set tblproperties ({key} = {mark})")


def _key(test: str) -> str:
    return _TESTED + hashlib.sha256(test.encode()).hexdigest()[:16]
