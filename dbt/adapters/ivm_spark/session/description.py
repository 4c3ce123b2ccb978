"""DESCRIBE TABLE EXTENDED of a Delta table or a view, without sending the statement.

Delta's log and Spark's catalog have the answer.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.delta_log import catalog_entry, newest_snapshot

_STATEMENT = re.compile(r"describe table extended (?P<table>.+?)(?P<json> as json)?")
_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}
_PLAIN = re.compile(
    r"string|boolean|binary|date|timestamp|timestamp_ntz|float|double|decimal\(\d+,\d+\)"
)
_NAMESPACE, _COLUMN = "view.catalogAndNamespace.part.", "view.query.out.col."
_SETTINGS = "view.sqlConfig."
_NO_TYPE_OF_ITS_OWN = {"__CHAR_VARCHAR_TYPE_STRING", "__COLLATIONS"}


def description(session: SparkSession, sql: str) -> list[dict[str, Any]] | None:
    """Return the rows of DESCRIBE TABLE EXTENDED for the columns, the kind and the properties.

    The rows (col_name, data_type, comment) say which columns a Delta table or a view has, which of
    the two it is, and a table's properties. DESCRIBE TABLE EXTENDED ... AS JSON of a view has one
    row (json_metadata), with the keys of the view's text.

    None for any other statement or relation, and if a column's type is neither a single word nor a
    decimal: only the statement spells such a type.

    session: of this process, not of a server.
    Source: Delta's protocol, "Change Metadata", "Protocol Evolution" and "Schema Serialization
    Format".
    """
    said = _STATEMENT.fullmatch(sql)
    if said is None:
        return None
    try:
        entry = catalog_entry(session, said["table"])
        if entry.tableType().name() == "VIEW":
            return [{"json_metadata": _text(entry)}] if said["json"] else _view(entry)
        if said["json"]:
            return None
        _, snapshot = newest_snapshot(session, said["table"])
        metadata = json.loads(snapshot.metadata().json())["metaData"]
        protocol = json.loads(snapshot.protocol().json())["protocol"]
        return _rows(metadata, protocol)
    except (Py4JError, PySparkException, KeyError, TypeError, ValueError):
        return None  # the statement says what is wrong, if anything is


def _view(entry: Any) -> list[dict[str, Any]]:
    """Return the rows of a view; raise ValueError if the catalog does not have its columns."""
    columns = _columns(entry.schema().json())
    if not columns:
        raise ValueError("no columns")
    return [*columns, _row("", ""), _row("# Detailed Table Information", ""), _row("Type", "VIEW")]


def _text(entry: Any) -> str:
    """Return what DESCRIBE ... AS JSON says of a view's text.

    Raises KeyError for a view of Spark 2, and for one WITH SCHEMA EVOLUTION.

    Source: Spark's CatalogTable, which stores it in these properties.
    """
    end = uuid.uuid4().hex
    kept = dict(pair.split(" -> ", 1) for pair in entry.properties().mkString(end).split(end))
    parts = range(int(kept["view.catalogAndNamespace.numParts"]))
    columns = range(int(kept["view.query.out.numCols"]))
    facts = {
        "view_text": entry.viewText().get(),
        "view_catalog_and_namespace": ".".join(kept[f"{_NAMESPACE}{place}"] for place in parts),
        "view_query_output_columns": [kept[f"{_COLUMN}{place}"] for place in columns],
        "view_creation_spark_configuration": {
            key.removeprefix(_SETTINGS): value
            for key, value in kept.items()
            if key.startswith(_SETTINGS)
        },
    }
    return json.dumps(facts)


def _columns(schema: str) -> list[dict[str, Any]]:
    return [_row(field["name"], type_of(field)) for field in json.loads(schema)["fields"]]


def _rows(metadata: Mapping[str, Any], protocol: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = _columns(metadata["schemaString"])
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
    """Return the type of a column in Spark's JSON, as Spark spells it.

    Raises ValueError for a type that contains types or attributes.
    """
    name = field["type"]
    if not isinstance(name, str) or _NO_TYPE_OF_ITS_OWN & field["metadata"].keys():
        raise ValueError(name)
    if name in _NAMES:
        return _NAMES[name]
    if _PLAIN.fullmatch(name) is None:
        raise ValueError(name)
    return name
