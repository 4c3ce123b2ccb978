"""DESCRIBE HISTORY, read from the table's log without the statement's Spark job."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.delta_log import newest_snapshot
from dbt.adapters.ivm_spark.session.jvm import PATH, java_class

_STATEMENT = re.compile(
    r"describe history (?P<table>.+) limit (?P<limit>\d+)(?: /\* since version (?P<since>\d+) \*/)?"
)
MOST = 50
"""The most commits that are read one by one. Spark answers for more: it reads several at a time."""


def history(session: SparkSession, sql: str) -> list[dict[str, Any]] | None:
    """Return the newest commits of a table, newest first, if the statement asks for a few.

    The statement's comment may name a version. The commits then go back to that version only,
    because each of them is a file to read.

    The columns are version, timestamp (when the commit was written, milliseconds since 1970 as
    text), operation, operationParameters, operationMetrics and userMetadata.

    None for any other statement, and if the log does not tell what the statement would: the table
    is in another catalog, its commits have times of their own, or something fails.

    session: of this process, not of a server.
    Source: Delta's protocol, "Commit Provenance Information" and "Delta Log Entries".
    """
    said = _STATEMENT.fullmatch(sql)
    if said is None or int(said["limit"]) > MOST:
        return None
    try:
        commits = list(
            _commits(session, said["table"], int(said["limit"]), int(said["since"] or 0))
        )
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError):
        return None  # the statement says what is wrong, if anything is
    return commits or None


def _commits(session: SparkSession, table: str, limit: int, since: int) -> Iterator[dict[str, Any]]:
    delta, snapshot = newest_snapshot(session, table)
    newest, path_of = snapshot.version(), java_class(session._jvm, PATH)
    store, conf, folder = delta.store(), delta.newDeltaHadoopConf(), delta.logPath()
    files = folder.getFileSystem(conf)
    for version in range(newest, max(newest - limit, min(since, newest) - 1, -1), -1):
        path = path_of(folder, f"{version:020}.json")
        try:
            written = files.getFileStatus(path).getModificationTime()
            lines = store.readAsIterator(path, conf)
        except Py4JJavaError as error:
            if version == newest or "FileNotFoundException" not in str(error.java_exception):
                raise
            return  # Delta has cleaned the log up to here
        try:
            info = _info(lines)
        finally:
            lines.close()
        yield {
            "version": version,
            "timestamp": str(written),
            "operation": info["operation"],
            "operationParameters": _texts(info.get("operationParameters")),
            "operationMetrics": _texts(info.get("operationMetrics")),
            "userMetadata": info.get("userMetadata"),
        }


def _info(lines: Any) -> Mapping[str, Any]:
    """Return the commit's provenance, which Delta writes first.

    Raises KeyError if it is missing, and ValueError if the commit's time is not its file's.
    """
    info: Mapping[str, Any] = json.loads(lines.next(), parse_int=str, parse_float=str)["commitInfo"]
    if "inCommitTimestamp" in info:
        raise ValueError("in-commit timestamps")
    return info


def _texts(values: Mapping[str, Any] | None) -> dict[str, str]:
    """Return a map's values as text, without nulls; raise ValueError for a nested value."""
    return {key: _text(value) for key, value in (values or {}).items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    raise ValueError(value)
