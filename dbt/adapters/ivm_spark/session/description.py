"""DESCRIBE TABLE EXTENDED of a Delta table, read from its log without sending the statement."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.delta_log import newest_snapshot

_STATEMENT = re.compile(r"describe table extended (?P<table>(?!.* as json$).+)")
_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}
_PLAIN = re.compile(
    r"string|boolean|binary|date|timestamp|timestamp_ntz|float|double|decimal\(\d+,\d+\)"
)
_NO_TYPE_OF_ITS_OWN = {"__CHAR_VARCHAR_TYPE_STRING", "__COLLATIONS"}


def description(session: SparkSession, sql: str) -> list[dict[str, Any]] | None:
    """The rows (col_name, data_type, comment) of DESCRIBE TABLE EXTENDED that say which columns a
    Delta table has, that it is one, and its properties.

    None for any other statement or relation, and where a column's type is not one of a single word
    or a decimal: the statement spells it.

    session: of this process, not of a server.
    Source: Delta's protocol, "Change Metadata", "Protocol Evolution" and "Schema Serialization
    Format".
    """
    said = _STATEMENT.fullmatch(sql)
    if said is None:
        return None
    try:
        _, snapshot = newest_snapshot(session, said["table"])
        metadata = json.loads(snapshot.metadata().json())["metaData"]
        protocol = json.loads(snapshot.protocol().json())["protocol"]
        return _rows(metadata, protocol)
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError):
        return None  # the statement will say what is wrong, if anything is


def _rows(metadata: Mapping[str, Any], protocol: Mapping[str, Any]) -> list[dict[str, Any]]:
    fields = json.loads(metadata["schemaString"])["fields"]
    columns = [_row(field["name"], type_of(field)) for field in fields]
    features = {
        *protocol.get("readerFeatures", ()),
        *protocol.get("writerFeatures", ()),
    }
    properties = [
        *(f"{key}={value}" for key, value in metadata.get("configuration", {}).items()),
        *(f"delta.feature.{name}=supported" for name in sorted(features)),
        f"delta.minReaderVersion={protocol['minReaderVersion']}",
        f"delta.minWriterVersion={protocol['minWriterVersion']}",
    ]
    return [
        *columns,
        _row("", ""),
        _row("# Detailed Table Information", ""),
        _row("Provider", "delta"),
        _row("Table Properties", f"[{','.join(properties)}]"),
    ]


def _row(name: str, data_type: str) -> dict[str, Any]:
    return {"col_name": name, "data_type": data_type, "comment": None}


def type_of(field: Mapping[str, Any]) -> str:
    """The type of a column in Spark's JSON, as Spark spells it.

    Raises ValueError for a type with types or attributes in it.
    """
    name = field["type"]
    if not isinstance(name, str) or _NO_TYPE_OF_ITS_OWN & field["metadata"].keys():
        raise ValueError(name)
    if name in _NAMES:
        return _NAMES[name]
    if _PLAIN.fullmatch(name) is None:
        raise ValueError(name)
    return name
