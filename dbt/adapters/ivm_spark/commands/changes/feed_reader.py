"""Reads what a view's own changes need: the view's properties and the state's commits."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from typing import Any

import sqlglot
from agate import Table
from dbt_common.exceptions import CompilationError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.commands.changes.feed import (
    FeedError,
    consumed,
    consumer_mark,
    feed,
    history,
    refreshes_in,
)
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.sql.scans import read_at
from dbt.adapters.ivm_spark.state.feed import Feed
from dbt.adapters.ivm_spark.state.shown_row import ShownRow, decode_row
from dbt.adapters.ivm_spark.watermark.shown import ROW

METADATA = "spark.databricks.delta.commitInfo.userMetadata"


class FeedReader:
    """Reads the changes of views through one connection.

    In every method, view and state are quoted names.
    """

    def __init__(self, query: Query) -> None:
        self._query = query
        self._reader = SourceReader(query)

    def feed(self, view: str, state: str, **asked: Any) -> Feed:
        """Return the requested changes, see `feed`; raise CompilationError if impossible."""
        try:
            refreshes = refreshes_in(self._reader.commits(state, 0))
            found = feed(state, self._row(view), refreshes, **asked)
        except FeedError as error:
            raise CompilationError(f"ivm_changes of {view}: {error}.") from error
        return self._located(found)

    def history(self, view: str, state: str, since: Any = None) -> tuple[Feed, Feed]:
        """Return the view's contents at a refresh, and the changes of each refresh since.

        `since` is as for `feed`; without it, the feeds begin as early as they can. Raises
        CompilationError for a view whose rows have no key, and if nothing can be read.
        """
        try:
            row = self._row(view)
            refreshes = refreshes_in(self._reader.commits(state, 0))
            contents, changes = history(state, row, refreshes, since)
        except FeedError as error:
            raise CompilationError(f"ivm_history of {view}: {error}.") from error
        return self._located(contents), self._located(changes)

    def _located(self, found: Feed) -> Feed:
        """Return a feed that is read by location if it is read at all.

        If one statement reads two feeds of a table by name, or a feed and the table, Spark takes
        both for the same relation: rows would be missing, and doubled.
        """
        if not found.reads_feed:
            return found
        return replace(found, location=str(self._reader.detail(found.state)["location"]))

    def position(self, consumer: str, view: str, target: str) -> dict[str, int] | None:
        """Return the version that a consumer has read to, by its own table's commits, or None."""
        version = consumed(self._reader.commits(target, 0), consumer, view)
        return None if version is None else {"version": version}

    def advance(self, consumer: str, view: str, found: Feed) -> None:
        """Make this connection's later commits record that the consumer has read these changes."""
        self._query(f"set {METADATA}={consumer_mark(consumer, view, found.last)}")

    def whole(self, view: str, found: Feed) -> tuple[str, str]:
        """Return the view's SELECT over its state after the changes, and before them.

        Raises CompilationError for a published table, which has no such SELECT.
        """
        text = self._reader.relation(view).text
        if not text:
            raise CompilationError(
                f"ivm_changes of {view}: its rows depend on one another (LIMIT) or can't be "
                "matched, so two versions of the whole view are compared, and the model publishes "
                "a table. Set publish: view."
            )
        before = found.first if found.since is None else found.since
        return _at_version(text, found.last), _at_version(text, before)

    def names(self, view: str) -> str:
        """Return the view's columns, quoted, as a list in SQL."""
        return ", ".join(quote(name) for name, _ in self._reader.relation(view).columns)

    @staticmethod
    def text(table: Table) -> str:
        """Return a table as text, as dbt shows tables."""
        lines = StringIO()
        table.print_table(max_rows=None, max_columns=None, max_column_width=40, output=lines)
        return lines.getvalue()

    def _row(self, view: str) -> ShownRow | None:
        rows = self._query(f"show tblproperties {view}")
        properties = {str(row["key"]): str(row["value"]) for row in rows}
        if ROW not in properties:
            raise FeedError(
                "it is not the view of an ivm model, or its model has not run since dbt-ivm-spark "
                "was upgraded. Run the model with --full-refresh"
            )
        return decode_row(properties[ROW]) if properties[ROW] else None


def _at_version(text: str, version: int) -> str:
    query = sqlglot.parse_one(text, dialect=IvmSpark)
    for table in query.find_all(exp.Table):
        read_at(table, version)
    return to_sql(query)
