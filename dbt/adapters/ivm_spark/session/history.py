"""DESCRIBE HISTORY read from the table's log, without the Spark job that the statement takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.delta_log import java, newest_snapshot

_STATEMENT = re.compile(
    r"describe history (?P<table>.+) limit (?P<limit>\d+)(?: /\* since version (?P<since>\d+) \*/)?"
)
MOST = 50
"""Commits that are read one by one; more are left to Spark, which reads several at a time."""


def history(session: SparkSession, sql: str) -> list[dict[str, Any]] | None:
    """The newest commits of a table, newest first, where a statement asks for a few of them; down
    to the version that the statement's comment names, if there is one, as each is a file to read.

    The columns are version, timestamp (when the commit was written, milliseconds since 1970 as
    text), operation, operationParameters, operationMetrics and userMetadata. None for any other
    statement, and where the log does not tell what the statement would: the table is in another
    catalog or its commits have times of their own, or something fails.

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
        return None  # the statement will say what is wrong, if anything is
    return commits or None


def _commits(session: SparkSession, table: str, limit: int, since: int) -> Iterator[dict[str, Any]]:
    delta, snapshot = newest_snapshot(session, table)
    newest, path_of = snapshot.version(), java(session._jvm).path
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
            return  # the log has been cleaned up to here
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
    """The commit's provenance, which Delta writes first. Raises KeyError where it is not there,
    and ValueError where the commit's time is not that of its file."""
    info: Mapping[str, Any] = json.loads(lines.next(), parse_int=str, parse_float=str)["commitInfo"]
    if "inCommitTimestamp" in info:
        raise ValueError("in-commit timestamps")
    return info


def _texts(values: Mapping[str, Any] | None) -> dict[str, str]:
    """A map's values as texts, without nulls. Raises ValueError for a value with values in it."""
    return {key: _text(value) for key, value in (values or {}).items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    raise ValueError(value)
