"""A scan of a Delta table at one version, whose files are known before any query is planned.

Delta chooses the files of a scan while Spark optimizes a query: a job for each table that the query
names, each time. If a query joins six tables of few files, that takes two thirds of its time. A
view over a scan of the files of a version, or of those that can have some keys, is planned without
a job. `table_files` knows the files and their statistics.

The session that pins a scan also reads it: Spark reads files under the settings of the session that
made the scan.

Source: Delta's protocol, "Version Checksum File" and "Per-file Statistics".
"""

from __future__ import annotations

import logging
from collections.abc import Set
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.physical.file_pruning import SKIPPING, FileKeys
from dbt.adapters.ivm_spark.session.condition import is_cancelled
from dbt.adapters.ivm_spark.session.delta_log import newest_snapshot, scan_of
from dbt.adapters.ivm_spark.session.explanation import active
from dbt.adapters.ivm_spark.session.table_files import TableFiles, files_of

FEW_FILES = 8
"""Files up to which reading all of them is certainly cheaper than letting Delta choose some."""
FEW_BYTES = 32_000_000
"""The same for the size of more files."""
MANY_FILES = 100
"""The same for files of which Delta would hardly leave out any. Choosing takes a quarter of a
second: two jobs for each scan, and again when Spark plans the rest of a query that is running."""
_log = logging.getLogger(__name__)


def pin_scan(
    session: SparkSession,
    name: str,
    relation: str,
    version: int,
    keys: FileKeys | None = None,
    restricted: Set[str] | None = None,
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
        restricted: the columns that conditions of the view's readers restrict, None if they are not
            known.
    """
    try:
        log, snapshot = newest_snapshot(session, relation)
        if snapshot.version() != version:
            return False
        with active(session):
            rows = known_rows(session, log, snapshot, keys, restricted)
            if rows is not None:
                rows.createOrReplaceTempView(name)
        return rows is not None
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError) as error:
        if is_cancelled(error):
            raise
        _log.debug("%s is read by its name: %s", relation, error)
        return False


def known_rows(
    session: SparkSession,
    log: Any,
    snapshot: Any,
    keys: FileKeys | None = None,
    restricted: Set[str] | None = None,
) -> DataFrame | None:
    """Return the rows of a snapshot as a scan of files that are known.

    With `keys`, the scan lacks files that have none of the keys; of a table of few files it is not
    made. None if it is not worth it to read the files without a look at Delta's own choice, or if
    they don't tell all about the rows. For `restricted` see `pin_scan`.
    """
    files = files_of(session, log, snapshot)
    if files is None:
        return None
    few = _are_few(files)
    if keys is None:
        if not few and not _are_all_wanted(files, files.number, restricted):
            return None
        return scan_of(session, log, snapshot, files.all) if _tell_all(files) else None
    if few or not _tell_all(files) or files.are_mapped or not _is_on(session, SKIPPING):
        return None
    kept = [n for n, file in enumerate(files.said) if keys.may_be_in(file.statistics)]
    size = sum(files.said[n].size for n in kept)
    if _is_little(len(kept), size) or _are_all_wanted(files, len(kept), restricted):
        return scan_of(session, log, snapshot, files.some(kept))
    return None


def _tell_all(files: TableFiles) -> bool:
    return files.all is not None and files.tell_all


def _are_few(files: TableFiles) -> bool:
    """Return whether reading a table takes no longer than choosing some of its files."""
    return _is_little(files.number, files.size)


def _is_little(number: int, size: int) -> bool:
    """Return whether reading some files of a size in bytes takes no longer than choosing some.

    A table that is appended to every day soon has many files, most of them small.
    """
    return number <= FEW_FILES or size <= FEW_BYTES


def _are_all_wanted(files: TableFiles, number: int, restricted: Set[str] | None) -> bool:
    """Return whether Delta would hardly leave out any of a table's files.

    Args:
        files: of the table.
        number: how many of them are read.
        restricted: see `pin_scan`.
    """
    if restricted is None:
        return False
    return not restricted or (number <= MANY_FILES and all(map(files.are_alike_in, restricted)))


def _is_on(session: SparkSession, key: str) -> bool:
    return str(session.conf.get(key, "true")).lower() == "true"
