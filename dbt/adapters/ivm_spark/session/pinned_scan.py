"""A scan of a Delta table at one version, whose files are known before any query is planned.

Delta chooses the files of a scan while Spark optimizes a query: a job for each table that the query
names, each time. If a query joins six tables of few files, that takes two thirds of its time. Delta
writes the files of a small table into the checksum of each version. A view over a scan of just
these files is planned without a job.

The session that pins a scan also reads it: Spark reads files under the settings of the session that
made the scan.

Source: Delta's protocol, "Version Checksum File".
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.session.condition import is_cancelled
from dbt.adapters.ivm_spark.session.delta_log import (
    COLUMN_METADATA,
    known_files,
    newest_snapshot,
    scan_of,
)
from dbt.adapters.ivm_spark.session.explanation import active

MOST_FILES = 8
"""Files up to which reading all of them is certainly cheaper than choosing some."""
MOST_BYTES = 32_000_000
"""The same for the size of a table of more files."""
READER_FEATURES = frozenset(
    {"columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
)
"""Features of a table for whose readers the files alone are enough."""
_OLD_READERS = 2
"""The last version of the protocol without a list of features."""
_log = logging.getLogger(__name__)


def pin_scan(session: SparkSession, name: str, relation: str, version: int) -> bool:
    """Make a temporary view of the rows of a table at its newest version.

    Returns whether that was done. It is not if the table has another version by now, or if
    `known_rows` does not know its rows. The table is then to be read by its name.

    Args:
        session: of this process, not of a server.
        name: of the view.
        relation: the quoted name of the table, with its schema.
        version: the version that is expected to be the newest.
    """
    try:
        log, snapshot = newest_snapshot(session, relation)
        if snapshot.version() != version:
            return False
        with active(session):
            rows = known_rows(session, log, snapshot)
            if rows is not None:
                rows.createOrReplaceTempView(name)
        return rows is not None
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError) as error:
        if is_cancelled(error):
            raise
        _log.debug("%s is read by its name: %s", relation, error)
        return False


def known_rows(session: SparkSession, log: Any, snapshot: Any) -> DataFrame | None:
    """Return the rows of a snapshot as a scan of files that are known.

    None if they are not worth it to read all of them, or if they alone don't tell all about the
    rows.
    """
    files = known_files(snapshot)
    if files is None or not _all_are_read(snapshot) or not _tells_all(snapshot):
        return None
    return scan_of(session, log, snapshot, files)


def _all_are_read(snapshot: Any) -> bool:
    """Return whether reading all files of a table takes no longer than choosing some.

    A table that is appended to every day soon has many files, most of them small.
    """
    known = snapshot.checksumOpt().get()
    return int(known.numFiles()) <= MOST_FILES or int(known.tableSizeBytes()) <= MOST_BYTES


def _tells_all(snapshot: Any) -> bool:
    """Return whether a table's files and the types of its columns say all about its rows."""
    protocol = json.loads(snapshot.protocol().json())["protocol"]
    features = set(protocol.get("readerFeatures") or ())
    if protocol["minReaderVersion"] > _OLD_READERS and not features <= READER_FEATURES:
        return False
    return all(
        set(said) <= COLUMN_METADATA for said in _metadata(json.loads(snapshot.schema().json()))
    )


def _metadata(said: Any) -> Iterator[dict[str, Any]]:
    """Yield the metadata of all fields of a type, in the form of Spark's JSON."""
    if isinstance(said, dict):
        if "metadata" in said:
            yield said["metadata"]
        for key, value in said.items():
            if key != "metadata":
                yield from _metadata(value)
    elif isinstance(said, list):
        for value in said:
            yield from _metadata(value)
