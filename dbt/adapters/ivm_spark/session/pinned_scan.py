"""A scan of a Delta table at one version, whose files are known before any query is planned.

Delta chooses the files of a scan while Spark optimizes a query: a job for each table that the query
names, each time. If a query joins six tables of few files, that takes two thirds of its time. Delta
writes the files of a small table into the checksum of each version, with their statistics. A view
over a scan of just these files, or of those that can have some keys, is planned without a job.

The session that pins a scan also reads it: Spark reads files under the settings of the session that
made the scan.

Source: Delta's protocol, "Version Checksum File" and "Per-file Statistics".
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.physical.file_pruning import SKIPPING, FileKeys
from dbt.adapters.ivm_spark.session.condition import is_cancelled
from dbt.adapters.ivm_spark.session.delta_log import (
    COLUMN_METADATA,
    known_files,
    newest_snapshot,
    scan_of,
)
from dbt.adapters.ivm_spark.session.explanation import active
from dbt.adapters.ivm_spark.session.jvm import BUFFER, java_class, scala_object

MOST_FILES = 8
"""Files up to which reading all of them is certainly cheaper than letting Delta choose some."""
MOST_BYTES = 32_000_000
"""The same for the size of more files."""
READER_FEATURES = frozenset(
    {"columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
)
"""Features of a table for whose readers the files alone are enough."""
_OLD_READERS = 2
"""The last version of the protocol without a list of features."""
_PHYSICAL = "delta.columnMapping.physicalName"
"""Metadata of a column that may have another name in the statistics of files."""
_JSON = "org.apache.spark.sql.delta.util.JsonUtils"
_log = logging.getLogger(__name__)


def pin_scan(
    session: SparkSession, name: str, relation: str, version: int, keys: FileKeys | None = None
) -> bool:
    """Make a temporary view of the rows of a table at its newest version.

    With `keys`, the view lacks the rows of files that have none of the keys.

    Returns whether that was done. It is not if the table has another version by now, or if
    `known_rows` does not know its rows. The table is then to be read by its name.

    Args:
        session: of this process, not of a server.
        name: of the view.
        relation: the quoted name of the table, with its schema.
        version: the version that is expected to be the newest.
        keys: those that matter.
    """
    try:
        log, snapshot = newest_snapshot(session, relation)
        if snapshot.version() != version:
            return False
        with active(session):
            rows = known_rows(session, log, snapshot, keys)
            if rows is not None:
                rows.createOrReplaceTempView(name)
        return rows is not None
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError) as error:
        if is_cancelled(error):
            raise
        _log.debug("%s is read by its name: %s", relation, error)
        return False


def known_rows(
    session: SparkSession, log: Any, snapshot: Any, keys: FileKeys | None = None
) -> DataFrame | None:
    """Return the rows of a snapshot as a scan of files that are known.

    With `keys`, the scan lacks files that have none of the keys. None if it is not worth it to read
    the others without a look at Delta's own choice, or if the files alone don't tell all about the
    rows.
    """
    files = known_files(snapshot)
    if files is None:
        return None
    whole = _all_are_read(snapshot)
    if not whole and keys is None:
        return None
    columns = list(_metadata(json.loads(snapshot.schema().json())))
    if not _tells_all(snapshot, columns):
        return None
    if not whole and keys is not None:
        mapped = any(_PHYSICAL in said for said in columns)
        files = None if mapped else _having(session, files, keys)
    return None if files is None else scan_of(session, log, snapshot, files)


def _all_are_read(snapshot: Any) -> bool:
    """Return whether all files of a table are few."""
    known = snapshot.checksumOpt().get()
    return _are_few(int(known.numFiles()), int(known.tableSizeBytes()))


def _are_few(files: int, size: int) -> bool:
    """Return whether reading some files of a size in bytes takes no longer than choosing some.

    A table that is appended to every day soon has many files, most of them small.
    """
    return files <= MOST_FILES or size <= MOST_BYTES


def _having(session: SparkSession, files: Any, keys: FileKeys) -> Any | None:
    """Return those of a table's files that may have some keys, None if they are not few."""
    jvm: Any = session._jvm
    if str(session.conf.get(SKIPPING, "true")).lower() != "true":
        return None
    text = str(scala_object(jvm, _JSON).mapper().writeValueAsString(files))
    kept = [(n, f) for n, f in enumerate(json.loads(text)) if keys.may_be_in(f.get("stats"))]
    if not _are_few(len(kept), sum(int(file["size"]) for _, file in kept)):
        return None
    found = java_class(jvm, BUFFER)()
    for place, _ in kept:
        found.append(files.apply(place))
    return found.toSeq()


def _tells_all(snapshot: Any, columns: Iterable[dict[str, Any]]) -> bool:
    """Return whether a table's files and the types of its columns say all about its rows.

    columns: the metadata of all columns.
    """
    protocol = json.loads(snapshot.protocol().json())["protocol"]
    features = set(protocol.get("readerFeatures") or ())
    if protocol["minReaderVersion"] > _OLD_READERS and not features <= READER_FEATURES:
        return False
    return all(set(said) <= COLUMN_METADATA for said in columns)


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
