"""A dbt connection's own Spark session, with the interface of a database cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionWrapper
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.physical.file_pruning import FileKeys
from dbt.adapters.ivm_spark.session.activity import note_statement
from dbt.adapters.ivm_spark.session.delta_log import forget_tables
from dbt.adapters.ivm_spark.session.description import description
from dbt.adapters.ivm_spark.session.explanation import Explanations
from dbt.adapters.ivm_spark.session.history import history
from dbt.adapters.ivm_spark.session.identity import row_counts, table_id
from dbt.adapters.ivm_spark.session.literals import as_sent
from dbt.adapters.ivm_spark.session.pinned_scan import pin_scan
from dbt.adapters.ivm_spark.session.secrets import HIDDEN, is_secret
from dbt.adapters.ivm_spark.session.setting import configured, every_setting, setting
from dbt.adapters.ivm_spark.session.spark import is_started_with, new_session
from dbt.adapters.ivm_spark.session.stored_rows import (
    COMMENT,
    MATERIALIZED,
    keep_few_rows,
    note_stored_rows,
    store_few_rows,
)
from dbt.adapters.ivm_spark.session.transaction import changed
from dbt.adapters.ivm_spark.state.rewrite import Replacement

logger = AdapterLogger("IvmSpark")
_warned: set[str] = set()
_KEEPS_TABLES = re.compile(
    rf"{COMMENT}(?:(?:describe|explain|reset|select|set|show)\b"
    rf"|(?:cache table|drop view if exists) {MATERIALIZED}\b)",
    re.IGNORECASE | re.DOTALL,
)
"""The first words of statements that change no table of the catalog."""
_KNOWN = (history, description, table_id, row_counts, setting, every_setting)
"""Functions that answer some of the planner's statements without sending them."""

Description = Sequence[tuple[str, Any, int | None, int | None, int | None, int | None, bool]]


class SessionHandle(SparkConnectionWrapper):
    """A connection to one private Spark session.

    Attributes:
        session: the private session, of the embedded Spark unless one is given. Its settings and
            temporary views end with the connection.
        statements: how many SQL statements this connection has sent.
    """

    def __init__(
        self,
        parameters: Mapping[str, str],
        session: SparkSession | None = None,
        keep: float = 0.0,
        archive: bool = True,
    ) -> None:
        self.session: SparkSession = session or new_session(parameters, keep, archive)
        self.statements = 0
        self._result: DataFrame | None = None
        self._rows: list[Row] | None = None
        self._replacement: Replacement | None = None
        self._few = False
        self._explanations = Explanations(self.session)
        for key, value in parameters.items():
            self._set(key, value)

    def _set(self, key: str, value: str) -> None:
        """Set a setting of the session; warn once if the running Spark can't change it."""
        if self.session.conf.get(key, None) == value or is_started_with(key, value):
            return
        try:
            self.session.conf.set(key, value)
        except PySparkException:
            if key not in _warned:
                _warned.add(key)
                stays = self.session.conf.get(key, None)
                shown = HIDDEN if is_secret(key) else repr(stays)
                logger.warning(
                    f"server_side_parameters: {key} can't be changed while Spark runs; it stays "
                    f"{shown}."
                )

    def cursor(self) -> SessionHandle:
        self._result = self._rows = None
        return self

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        """Send one statement. A command runs now; a query runs when it is fetched or drained."""
        sql = as_sent(sql, bindings)
        self._rows = None
        self.statements += 1
        note_statement(sql)
        self._explanations.forget_after(sql)
        try:
            self._carry_out(sql)
        finally:  # a statement that fails may have changed a table
            if not _KEEPS_TABLES.match(sql):
                forget_tables(self.session)

    def _carry_out(self, sql: str) -> None:
        """Do what a statement asks for, by other means than Spark's SQL where that is possible."""
        few, self._few = self._few, False
        replacement, self._replacement = self._replacement, None
        row = None if replacement is None else changed(self.session, replacement)
        if row is not None:
            self._result, self._rows = None, [row]
            return
        if few and store_few_rows(self.session, sql):
            self._result = None
            return
        self._result = self._sent(sql)

    @contextmanager
    def replacing(self, replacement: Replacement) -> Iterator[None]:
        """Carry out the statement inside by its replacement, if that is possible."""
        self._replacement = replacement
        try:
            yield
        finally:  # the statement may not have been sent, and no other one may take its place
            self._replacement = None

    @contextmanager
    def storing_few(self) -> Iterator[None]:
        """Store the rows of the statement inside in the driver, if there are few."""
        self._few = True
        try:
            yield
        finally:
            self._few = False

    def keep_few(self, name: str, sql: str) -> bool:
        """Keep the rows of a query in the driver for all sessions, if there are few.

        Return whether that was done.
        """
        return keep_few_rows(self.session, name, sql)

    def pin_scan(
        self,
        name: str,
        relation: str,
        version: int,
        keys: FileKeys | None = None,
        restricted: Set[str] | None = None,
    ) -> bool:
        """Make a temporary view of a Delta table's rows at its newest version; see `pin_scan`."""
        return pin_scan(self.session, name, relation, version, keys, restricted)

    def _sent(self, sql: str) -> DataFrame | None:
        if configured(self.session, sql):
            return None
        result = self.session.sql(sql)
        note_stored_rows(self.session, sql)
        return result

    def known(self, sql: str) -> list[dict[str, Any]] | None:
        """Return the rows of a statement if they are known without sending it, else None."""
        for known in _KNOWN:
            found = known(self.session, sql)
            if found is not None:
                return found
        return self._explanations.known(sql)

    def drain(self) -> None:
        """Run a query in Spark without fetching its rows; a command has already run."""
        if self._result is None or self._rows is not None or self._is_command(self._result):
            return
        self._result.write.format("noop").mode("overwrite").save()
        self._result = None

    @staticmethod
    def _is_command(result: DataFrame) -> bool:
        plan = result._jdf.queryExecution().commandExecuted()
        return bool(plan.nodeName() == "CommandResult")

    def fetchall(self) -> list[Row]:
        if self._rows is None:
            self._rows = [] if self._result is None else self._result.collect()
        return self._rows

    def fetchmany(self, size: int) -> list[Row]:
        """Return the first rows of the result; Spark computes no more than they need."""
        return [] if self._result is None else self._result.take(size)

    def fetchone(self) -> Row | None:
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    @property
    def description(self) -> Description:
        if self._result is None:
            names = self._rows[0].__fields__ if self._rows else []
            return [(name, "bigint", None, None, None, None, False) for name in names]
        return [
            (field.name, field.dataType.simpleString(), None, None, None, None, field.nullable)
            for field in self._result.schema.fields
        ]

    def cancel(self) -> None:
        """Stop the jobs of this connection; other connections continue."""
        self.session.interruptAll()

    def close(self) -> None:
        """Drop the temporary views: Spark, not the session, holds what is cached for them."""
        self._result = self._rows = None
        with suppress(Py4JError, PySparkException, OSError):  # Spark may have ended
            for view in self._temporary_views():
                self.session.sql(f"drop view if exists {quote(view)}")

    def _temporary_views(self) -> list[str]:
        views = self.session._jsparkSession.sessionState().catalog().listLocalTempViews("*")
        return [views.apply(place).table() for place in range(views.size())]

    def rollback(self) -> None:
        """Do nothing: Spark has no transactions across statements."""
