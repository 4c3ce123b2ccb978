"""A Delta table's id and its number of rows, read from its log without sending a statement."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.delta_log import newest_snapshot
from dbt.adapters.ivm_spark.session.jvm import PATH, java_class

_ID = re.compile(r"describe detail (?P<table>.+) /\* id \*/")
_COUNT = r"\(select count\(\*\) from (.+?) version as of (\d+)\) as (c\d+)"
_COUNTS = re.compile(rf"select {_COUNT}(?:, {_COUNT})*")


def table_id(session: SparkSession, sql: str) -> list[dict[str, Any]] | None:
    """Return the row (id) of the DESCRIBE DETAIL that only asks for a table's id.

    None for any other statement or relation.

    session: of this process, not of a server.
    Source: Delta's protocol, "Change Metadata".
    """
    said = _ID.fullmatch(sql)
    if said is None:
        return None
    try:
        _, snapshot = newest_snapshot(session, said["table"])
        return [{"id": str(snapshot.metadata().id())}]
    except (Py4JError, PySparkException, ValueError):
        return None


def row_counts(session: SparkSession, sql: str) -> list[dict[str, Any]] | None:
    """Return the row (c0, c1, ...) of a SELECT that only counts the rows of tables at versions.

    None for any other statement, and if a table's checksum does not list its files: the version
    is not the newest, there are more than 50 files, or a file has no statistics.

    session: of this process, not of a server.
    Source: Delta's protocol, "Version Checksum File", "Per-file Statistics" and "Deletion Vectors".
    """
    if _COUNTS.fullmatch(sql) is None:
        return None
    try:
        every = re.findall(_COUNT, sql)
        return [{name: _rows(session, table, int(version)) for table, version, name in every}]
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError):
        return None


def _rows(session: SparkSession, table: str, version: int) -> int:
    """Return a table's number of rows; raise ValueError or KeyError if the checksum lacks it."""
    log, snapshot = newest_snapshot(session, table)
    if snapshot.version() != version:
        raise ValueError(version)
    path = java_class(session._jvm, PATH)(log.logPath(), f"{version:020}.crc")
    lines = log.store().readAsIterator(path, log.newDeltaHadoopConf())
    try:
        checksum = json.loads(lines.next())
    finally:
        lines.close()
    files = checksum["allFiles"]
    if len(files) != checksum["numFiles"]:
        raise ValueError("not all files")
    return sum(map(_rows_of_file, files))


def _rows_of_file(file: Mapping[str, Any]) -> int:
    removed = (file.get("deletionVector") or {}).get("cardinality", 0)
    return int(json.loads(file["stats"])["numRecords"]) - int(removed)
