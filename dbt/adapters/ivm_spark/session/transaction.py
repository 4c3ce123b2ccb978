"""Carries out the change of a state in one transaction of Delta's own, where that is faster.

A MERGE into a small state becomes a rewrite: Spark computes all rows of the state after it, Delta's
writer writes them with the change data feed, and Delta's transaction commits the new files in place
of the old ones. A MERGE into a large state becomes an exchange: Spark looks up the rows that
change, deletion vectors take them out of their files, and a new file has the rows that come. An
INSERT is written and committed alike. That saves the statement's look-up of the refresh's number in
the whole log. A CREATE OR REPLACE whose table stays as it is becomes an overwrite of its rows,
which needs neither the catalog nor the log. It is the transaction that the statements use, so it
has the same checks, hooks, checksum and conflict detection.

This happens only if the state is known to be plain, small enough for a rewrite or open to deletion
vectors, and at the version that the refresh was planned on. In any other case, and after any error,
the statement itself runs. That is safe even if the transaction was committed: Delta skips the
statement as a repeat.

Source: Delta's OptimisticTransaction, TransactionalWrite.writeFiles; Spark's Observation.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from packaging.version import Version
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Observation, Row, SparkSession
from pyspark.sql.functions import col, count_if
from typing_extensions import assert_never

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.session.checksum import compared_if_needed
from dbt.adapters.ivm_spark.session.condition import is_cancelled
from dbt.adapters.ivm_spark.session.deletion_vectors import taken_out
from dbt.adapters.ivm_spark.session.delta_log import (
    COLUMN_METADATA,
    known_files,
    newest_snapshot,
    scan_of,
)
from dbt.adapters.ivm_spark.session.explanation import active
from dbt.adapters.ivm_spark.session.file_stats import (
    Column,
    known_columns,
    with_statistics,
    without_statistics,
)
from dbt.adapters.ivm_spark.session.garbage import free_java_objects
from dbt.adapters.ivm_spark.session.jvm import BUFFER, OPTION, java_class, names_in, scala_object
from dbt.adapters.ivm_spark.session.local_rows import computed_once
from dbt.adapters.ivm_spark.session.pinned_scan import known_rows
from dbt.adapters.ivm_spark.session.spark import has_executors
from dbt.adapters.ivm_spark.state.rewrite import (
    ACTION,
    ACTIONS,
    BY_TRANSACTION,
    CHANGE_TYPE,
    DELETE,
    FILE,
    INSERT,
    KEEP,
    MOST_ROWS,
    PLACE,
    ROW,
    STORED,
    UPDATE,
    Addition,
    Exchange,
    Rebuild,
    Replacement,
    Rewrite,
)

MOST_BYTES, MOST_FILES = 10_000_000, 50
"""Size and files of the largest state that is rewritten."""
FEATURES = frozenset(
    {
        "appendOnly",
        "changeDataFeed",
        "checkConstraints",
        "clustering",
        "columnMapping",
        "deletionVectors",
        "domainMetadata",
        "generatedColumns",
        "invariants",
        "timestampNtz",
        "v2Checkpoint",
        "vacuumProtocolCheck",
    }
)
"""Features of a table under which Delta's writer is known to write what the statement writes.
Others may have columns or files that only Delta's own commands keep up, such as row ids. Into
clusters, rows are brought by OPTIMIZE alone."""
_NUMBER = "org.apache.spark.sql.delta.actions.SetTransaction"
_MERGE = "org.apache.spark.sql.delta.DeltaOperations$Merge"
_WRITE = "org.apache.spark.sql.delta.DeltaOperations$Write"
_MODES = "org.apache.spark.sql.SaveMode"
_METRICS = "org.apache.spark.sql.execution.metric.SQLMetrics"
_MAP = "scala.collection.mutable.HashMap"
_SAME = "scala.$less$colon$less"
_OLD_WRITERS = 6
"""The last version of the protocol without a list of features."""
_FEED = "delta.enableChangeDataFeed"
_VECTORS = "delta.enableDeletionVectors"
FOOTER_ROWS = 100_000
"""Rows of the smallest state whose files' statistics are taken from their footers."""
_FILE_ROWS = 1_000_000
"""Rows of a file that an exchange writes."""
_PATIENCE = 5.0
"""Seconds to wait for the counts of a write."""
_PAUSE = 0.01
"""Seconds between two questions for them."""
_HAS_FUTURE = Version(version("pyspark")) >= Version("4.1")
"""Before, Spark's `Observation` has another future; from 4.2 on, it has nothing else."""
_log = logging.getLogger(__name__)


def changed(session: SparkSession, replacement: Replacement) -> Row | None:
    """Carry out the change of a state, and return the row that a MERGE would return.

    None if the state is not to be changed in this way, or if anything failed: the statement is
    still to be run.

    session: of this process, not of a server.
    """
    try:
        with active(session):
            transaction = _begun(session, replacement)
            if transaction is None:
                return None
            match replacement.change:
                case Addition() as addition:
                    return transaction.add(addition)
                case Rewrite() as rewrite:
                    return transaction.rewrite(rewrite)
                case Exchange() as exchange:
                    try:
                        return transaction.exchange(exchange)
                    finally:
                        free_java_objects()
                case Rebuild() as rebuild:
                    return transaction.rebuild(rebuild)
                case _:
                    assert_never(replacement.change)
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError) as error:
        if is_cancelled(error):
            raise
        _log.debug("%s is changed by a statement: %s", replacement.before.state, error)
        return None


def _begun(session: SparkSession, replacement: Replacement) -> _Transaction | None:
    """Return a transaction on a plain state at the version of the plan, None for any other."""
    before = replacement.before
    log, snapshot = newest_snapshot(session, before.state)
    if snapshot.version() != before.version or not _is_plain(snapshot):
        return None
    return _Transaction(session, replacement, log, snapshot)


class _Transaction:
    """A transaction of Delta on a state."""

    def __init__(
        self, session: SparkSession, replacement: Replacement, log: Any, snapshot: Any
    ) -> None:
        self._session = session
        self._jvm: Any = session._jvm
        self._replacement = replacement
        self._log, self._snapshot = log, snapshot
        self._option = java_class(self._jvm, OPTION)
        self._fields = json.loads(snapshot.schema().json())["fields"]
        self._now = int(time.time() * 1000)
        self._transaction = log.startTransaction(self._option.empty(), self._option.apply(snapshot))
        # Another run's refresh since is a conflict, also if it adds no file.
        self._transaction.readTxn().append(replacement.state_id)

    def add(self, addition: Addition) -> Row | None:
        """Add rows to the state, and return the counts."""
        rows = self._session.sql(to_sql(addition.rows))
        if not self._fits(rows):
            return None
        written = self._transaction.writeFiles(rows._jdf)
        inserted = _rows(written)
        self._commit(self._actions(written), self._write("Append"))
        return _counts({INSERT: inserted})

    def rebuild(self, rebuild: Rebuild) -> Row | None:
        """Replace all rows of the state, whatever its size, and return the counts."""
        rows = self._session.sql(rebuild.rows)
        if not self._fits(rows):
            return None
        # Any other commit of rows since is a conflict.
        self._transaction.readWholeTable()
        removed = self._files()
        written = self._written(rows)
        inserted = _rows(written)
        self._commit(self._actions(written, removed), self._write("Overwrite"))
        return _counts({INSERT: inserted})

    def _written(self, rows: DataFrame) -> Any:
        """Write all rows of the state, and return the actions that add their files."""
        columns = self._columns_of_footers()
        if columns is None:
            return self._transaction.writeFiles(rows._jdf)
        with without_statistics(self._session):
            written = self._transaction.writeFiles(rows._jdf)
        tight = "deletionVectors" in _features(self._snapshot)
        return with_statistics(self._session, self._log, written, columns, tight)

    def _columns_of_footers(self) -> tuple[Column, ...] | None:
        """Return the state's columns if it is worth it to take their statistics from footers.

        None for a small state, and if an object store may have the files: a footer is read in
        milliseconds from a disk.
        """
        if self._replacement.before.rows < FOOTER_ROWS or has_executors():
            return None
        properties = names_in(self._snapshot.metadata().configuration().keySet())
        settings = names_in(self._session._jsparkSession.conf().getAll().keySet())
        return known_columns(self._fields, properties, settings)

    def rewrite(self, rewrite: Rewrite) -> Row | None:
        """Replace all rows of a small state, and return the counts.

        None if the state is not small, or if a row of it has met two rows of the change.
        """
        files = self._small_files()
        if files is None or (before := _rows(files)) > MOST_ROWS:
            return None
        # Any other commit of rows since is a conflict.
        self._transaction.readWholeTable()
        stored = scan_of(self._session, self._log, self._snapshot, files)
        stored.createOrReplaceTempView(rewrite.stored)
        try:
            observation = Observation()
            contents = self._contents(rewrite, observation)
            if not self._fits(contents):
                return None
            written = self._transaction.writeFiles(contents._jdf)
        finally:
            self._session.catalog.dropTempView(rewrite.stored)
        counted = _counted(observation)
        if counted is None or counted[STORED] != before:
            return None
        # Without a change there is no change data, and the feed would take the rows of new files
        # for changes.
        moves = counted[INSERT] + counted[UPDATE] + counted[DELETE]
        actions = self._actions(written, files) if moves else self._actions()
        self._note_metrics(counted)
        self._commit(actions, self._merge())
        return _counts(counted)

    def exchange(self, exchange: Exchange) -> Row | None:
        """Take the rows that change out of their files, add the new ones, and return the counts.

        None if the state takes no deletion vectors, or if a row of it has met two rows of the
        change.
        """
        if not self._has(_VECTORS):
            return None
        # Any other commit of rows since is a conflict.
        self._transaction.readWholeTable()
        change, few = exchange.change, self._replacement.before.few
        # The first read is by far the longest part of the refresh, and others follow.
        found = self._located(exchange)
        with computed_once(self._session, found, few) as located:
            located.createOrReplaceTempView(change.stored)
            try:
                met = self._session.sql(to_sql(change.rows))
                with computed_once(self._session, met, few) as rows:
                    exchanged = self._exchanged(change, rows)
            finally:
                self._session.catalog.dropTempView(change.stored)
        if exchanged is None:
            return None
        actions, counted = exchanged
        self._note_metrics(counted)
        self._commit(actions, self._merge())
        return _counts(counted)

    def _located(self, exchange: Exchange) -> DataFrame:
        """Return the rows of the state that the change meets, with their files and places."""
        rows = known_rows(self._session, self._log, self._snapshot)
        if rows is None:
            return self._session.sql(to_sql(exchange.located))
        places = col("_metadata.file_path").alias(FILE), col("_metadata.row_index").alias(PLACE)
        view = f"{self._replacement.before.stored}_files"
        rows.select(*places, "*").createOrReplaceTempView(view)
        try:
            return self._session.sql(to_sql(exchange.located_in(view)))
        finally:
            self._session.catalog.dropTempView(view)

    def _exchanged(self, change: Rewrite, rows: DataFrame) -> tuple[Any, dict[str, int]] | None:
        """Write the files of an exchange, and return the actions and the rows by action.

        None if the rows do not fit the state, or if a row of it is not in its place.
        """
        if not self._fits(self._expanded(change, rows)):
            return None
        counted = dict.fromkeys(ACTIONS, 0)
        counted |= {row[0]: row[1] for row in rows.groupBy(ACTION).count().collect()}
        actions = self._actions()
        if taken := counted[UPDATE] + counted[DELETE]:
            places = rows.where(col(ACTION).isin(UPDATE, DELETE)).select(FILE, PLACE)
            removal = taken_out(self._session, self._log, self._transaction, self._files(), places)
            if removal.rows != taken:
                return None
            actions.addAll(removal.actions)
        if changed := counted[INSERT] + taken:
            few = rows.coalesce(1 + changed // _FILE_ROWS)
            actions.addAll(self._transaction.writeFiles(self._expanded(change, few)._jdf))
        return actions, counted

    def _contents(self, rewrite: Rewrite, observation: Observation) -> DataFrame:
        """Return the rows to write, with their change types if the state has a feed."""
        counts = [count_if(col(ACTION) == action).alias(action) for action in ACTIONS]
        rows = self._session.sql(to_sql(rewrite.rows))
        rows = rows.observe(observation, count_if(col(STORED)).alias(STORED), *counts)
        return self._expanded(rewrite, rows)

    def _expanded(self, rewrite: Rewrite, rows: DataFrame) -> DataFrame:
        """Return the rows to write, of the rows of a rewrite."""
        fed = self._has(_FEED)
        written = rows.selectExpr(to_sql(rewrite.expansion if fed else rewrite.unfed))
        values = [col(ROW).getField(name).alias(name) for name in rewrite.columns]
        return written.select(*values, *([CHANGE_TYPE] if fed else []))

    def _has(self, key: str) -> bool:
        """Return whether a property of the table is true."""
        value = self._snapshot.metadata().configuration().get(key)
        return bool(value.isDefined()) and value.get() == "true"

    def _fits(self, rows: DataFrame) -> bool:
        """Return whether rows have exactly the state's columns, besides their change types."""
        if any(set(field["metadata"]) - COLUMN_METADATA for field in self._fields):
            return False
        given = _types(json.loads(rows._jdf.schema().json())["fields"])
        given.pop(CHANGE_TYPE, None)
        return given == _types(self._fields)

    def _files(self) -> Any:
        """Return the files of the state; without a checksum that has them, that takes a job."""
        known = known_files(self._snapshot)
        return self._transaction.filterFiles() if known is None else known

    def _small_files(self) -> Any | None:
        """Return the files of a small state, as Delta's checksum has them; None for any other."""
        files = known_files(self._snapshot)
        if files is None:
            return None
        known = self._snapshot.checksumOpt().get()
        if known.tableSizeBytes() > MOST_BYTES or known.numFiles() > MOST_FILES:
            return None
        return files

    def _actions(self, written: Any = None, removed: Any = None) -> Any:
        """Return the actions of the commit: files, and the number of the refresh."""
        actions = java_class(self._jvm, BUFFER)()
        if written is not None:
            actions.addAll(written)
        for place in range(0 if removed is None else removed.size()):
            actions.append(removed.apply(place).removeWithTimestamp(self._now, True))
        number = java_class(self._jvm, _NUMBER)(
            self._replacement.state_id, self._replacement.number, self._option.apply(self._now)
        )
        actions.append(number)
        return actions

    def _merge(self) -> Any:
        """Return the operation of a MERGE, as the table's history shows it."""
        nothing, none = java_class(self._jvm, BUFFER)(), self._option.empty()
        clauses = nothing.toSeq()
        merge = java_class(self._jvm, _MERGE)
        return merge(none, none, none, none, clauses, clauses, clauses)

    def _write(self, mode: str) -> Any:
        """Return the operation of a write, as the table's history shows it."""
        save, none = getattr(java_class(self._jvm, _MODES), mode), self._option.empty()
        return java_class(self._jvm, _WRITE)(save, *[none] * 8)

    def _commit(self, actions: Any, operation: Any) -> None:
        with compared_if_needed(self._session, self._fields):
            self._transaction.commit(actions.toSeq(), operation)

    def _note_metrics(self, counted: Mapping[str, int]) -> None:
        """Give the commit the metrics that a MERGE has in the table's history."""
        metrics = {
            "operationNumSourceRows": 0,
            "numTargetRowsInserted": counted[INSERT],
            "numTargetRowsUpdated": counted[UPDATE],
            "numTargetRowsDeleted": counted[DELETE],
            "numTargetRowsCopied": counted[KEEP],
        }
        noted = java_class(self._jvm, _MAP)()
        create = java_class(self._jvm, _METRICS).createMetric
        session = self._session._jsparkSession
        for name, value in metrics.items():
            metric = create(session.sparkContext(), name)
            metric.set(value)
            noted.put(name, metric)
        same = scala_object(self._jvm, _SAME).refl()
        self._transaction.registerSQLMetrics(session, noted.toMap(same))


def _is_plain(snapshot: Any) -> bool:
    """Return whether a table has no partitions, and only features that a rewrite keeps."""
    if not snapshot.metadata().partitionColumns().isEmpty():
        return False
    return _features(snapshot) <= FEATURES


def _features(snapshot: Any) -> set[str]:
    """Return the features that a table's protocol lists, none for an old protocol."""
    protocol = snapshot.protocol()
    if protocol.minWriterVersion() <= _OLD_WRITERS:
        return set()
    return set(names_in(protocol.readerAndWriterFeatureNames()))


def _rows(files: Any) -> int:
    """Return the number of rows in files; raise ValueError if it is not known."""
    total = 0
    for place in range(files.size()):
        rows = files.apply(place).numLogicalRecords()
        if not rows.isDefined():
            raise ValueError("a file without statistics")
        total += int(rows.get())
    return total


def _types(fields: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the types of fields by name."""
    return {field["name"]: _type(field["type"]) for field in fields}


def _type(said: Any) -> Any:
    """Return a type in the form of Spark's JSON without what it says of NULLs and metadata."""
    if isinstance(said, dict):
        ignored = ("nullable", "containsNull", "valueContainsNull", "metadata")
        return {key: _type(value) for key, value in said.items() if key not in ignored}
    if isinstance(said, list):
        return [_type(value) for value in said]
    return said


def _counted(observation: Observation) -> dict[str, int] | None:
    """Return the counts that Spark made during the write, None if they do not come."""
    until = time.monotonic() + _PATIENCE
    while (row := _observed(observation)) is None:
        if time.monotonic() > until:
            return None
        time.sleep(_PAUSE)
    return {name: int(row.getLong(place)) for place, name in enumerate((STORED, *ACTIONS))}


def _observed(observation: Observation) -> Any | None:
    """Return the row of an observation, None if it is not there yet."""
    asked: Any = observation._jo
    if _HAS_FUTURE:
        known = asked.future().value()
        return known.get().get() if known.isDefined() else None
    row = asked.getRowOrEmpty()
    return row.get() if row.isDefined() else None


def _counts(counted: Mapping[str, int]) -> Row:
    """Return the row that a MERGE returns, and that it was a transaction."""
    inserted, updated = counted.get(INSERT, 0), counted.get(UPDATE, 0)
    deleted = counted.get(DELETE, 0)
    return Row(
        num_affected_rows=inserted + updated + deleted,
        num_updated_rows=updated,
        num_deleted_rows=deleted,
        num_inserted_rows=inserted,
        **{BY_TRANSACTION: 1},
    )
