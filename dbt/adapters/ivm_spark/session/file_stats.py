"""The statistics of written files, taken from their footers in place of every row.

While Delta writes, it computes the least and the greatest value of each column, and the number of
its NULLs. That takes a tenth to a quarter of the CPU seconds of a simple rebuild. Parquet's own
writer computes the same for the footer of each file, and Spark skips rows by it. So a file is
written without Delta's statistics, and gets those of its footer.

Spark's default form of a timestamp has no statistics in a footer, so another one is written.

Only types are read whose values a footer has exactly. For any other column, Delta computes the
statistics.

Source: Delta's protocol, "Per-file Statistics"; Parquet's format, "Statistics" and "Logical Types".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.jvm import BUFFER, PATH, java_class, scala_object
from dbt.adapters.ivm_spark.session.setting import set_for_now

COLUMNS = 32
"""Columns at the beginning of a table that have statistics."""
PREFIX = 32
"""Characters of a text that its statistics have."""
_WITHOUT = {
    "spark.databricks.delta.stats.collect": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
_OWN = re.compile(
    r"spark\.databricks\.delta\.stats\.|(spark\.hadoop\.)?parquet\.|spark\.sql\.(legacy\.)?parquet\."
)
"""Settings that may ask for other statistics, or for values that a footer has in another form."""
_HARMLESS = frozenset(
    f"spark.sql.parquet.{name}"
    for name in (
        "columnarReaderBatchSize",
        "compression.codec",
        "datetimeRebaseModeInRead",
        "enableNestedColumnVectorizedReader",
        "enableVectorizedReader",
        "fieldId.read.enabled",
        "fieldId.read.ignoreMissing",
        "fieldId.write.enabled",
        "filterPushdown",
        "int96RebaseModeInRead",
        "mergeSchema",
    )
)
"""Those among them that change nothing of that."""
_TABLE = re.compile(r"delta\.(columnMapping|dataSkipping|parquet\.|universalFormat)|parquet\.")
"""The same for properties of a table, and those under which its files have other columns."""
_INTEGERS = frozenset({"byte", "short", "integer", "long"})
_FLOATS = frozenset({"float", "double"})
_UNORDERED = frozenset({"boolean", "binary"})
"""Types that have no least and greatest value in Delta's statistics."""
_OTHERS = frozenset({"date", "string", "timestamp", "timestamp_ntz"})
_DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")
_NOT_COUNTED = -1
"""The number of NULLs that Parquet's reader gives if a footer does not tell."""
_EPOCH = datetime(1970, 1, 1)
_EXACT = Context(prec=50)
"""Python's default context rounds to fewer digits than a decimal of Spark may have."""
_READER = "org.apache.parquet.hadoop.ParquetFileReader"
_ACTION = "org.apache.spark.sql.delta.actions.Action"
_CUT = "org.apache.spark.sql.delta.stats.StatisticsCollection"


@dataclass(frozen=True)
class Column:
    """A column of a table whose statistics a footer has.

    Attributes:
        name: of the column.
        type: its type in Spark's JSON.
    """

    name: str
    type: str


def known_columns(
    fields: Sequence[Mapping[str, Any]],
    properties: Iterable[str],
    settings: Iterable[str],
) -> tuple[Column, ...] | None:
    """Return the columns of a table, None if a footer does not have the statistics of all.

    Args:
        fields: of the table's schema, in Spark's JSON.
        properties: the keys of the table's properties.
        settings: the keys of the session's settings.
    """
    if any(map(_TABLE.match, properties)) or any(map(_OWN.match, set(settings) - _HARMLESS)):
        return None
    columns = tuple(Column(f["name"], f["type"]) for f in fields if isinstance(f["type"], str))
    known = len(columns) == len(fields) and all(_is_known(c.type) for c in columns)
    return columns if known else None


def _is_known(type_name: str) -> bool:
    named = type_name in _INTEGERS | _FLOATS | _UNORDERED | _OTHERS
    return named or _DECIMAL.fullmatch(type_name) is not None


def without_statistics(session: SparkSession) -> AbstractContextManager[None]:
    """Let Delta write files without statistics, and with timestamps that a footer has."""
    return set_for_now(session, _WITHOUT)


def with_statistics(
    session: SparkSession, log: Any, files: Any, columns: Sequence[Column], tight: bool
) -> Any:
    """Return the actions that add written files, with the statistics of their footers.

    A file without rows is left out, as Delta does.

    Args:
        session: of this process, not of a server.
        log: of the table.
        files: the actions that add the files without statistics.
        columns: all columns of the table.
        tight: whether to say that the bounds are those of the rows, see Delta's protocol.

    Raises ValueError if a footer does not tell about the columns.
    """
    jvm: Any = session._jvm
    found, conf = java_class(jvm, BUFFER)(), log.newDeltaHadoopConf()
    action = java_class(jvm, _ACTION)
    for place in range(files.size()):
        said = json.loads(files.apply(place).json())
        blocks = footer(jvm, log, conf, files.apply(place)).getBlocks()
        groups = [_Group(block.getRowCount(), block.getColumns()) for block in _each(blocks)]
        if any(group.columns.size() != len(columns) for group in groups):
            raise ValueError("a footer with other columns")
        if any(group.rows for group in groups):
            said["add"]["stats"] = _statistics(jvm, groups, columns, tight)
            found.append(action.fromJson(json.dumps(said)))
    return found.toSeq()


def footer(jvm: Any, log: Any, conf: Any, file: Any) -> Any:
    """Return what the footer of a table's file says.

    Args:
        jvm: of a session of this process.
        log: of the table.
        conf: Hadoop's configuration for the table.
        file: the action that adds the file.
    """
    path = java_class(jvm, PATH)(log.dataPath(), file.toPath())
    status = path.getFileSystem(conf).getFileStatus(path)
    return java_class(jvm, _READER).readFooter(conf, status)


@dataclass(frozen=True)
class _Group:
    """A row group of a file.

    Attributes:
        rows: their number.
        columns: a Java list of the columns' metadata.
    """

    rows: int
    columns: Any


def _each(found: Any) -> Iterator[Any]:
    """Yield the members of a Java list. Py4J's own iteration asks for its size each time."""
    return (found.get(place) for place in range(found.size()))


def _statistics(jvm: Any, groups: Sequence[_Group], columns: Sequence[Column], tight: bool) -> str:
    """Return the statistics of a file as JSON, by the metadata of its row groups."""
    least, greatest, nulls = dict[str, str](), dict[str, str](), dict[str, str]()
    for place, column in enumerate(columns[:COLUMNS]):
        found = [group.columns.get(place).getStatistics() for group in groups]
        counted = [statistics.getNumNulls() for statistics in found]
        if min(counted) == _NOT_COUNTED:
            continue  # a footer leaves out the statistics of long texts
        nulls[column.name] = str(sum(counted))
        if column.type in _UNORDERED:
            continue
        filled = [s for s, n, g in zip(found, counted, groups, strict=True) if n < g.rows]
        # A footer leaves out the bounds of numbers with a NaN among them.
        if not filled or not all(statistics.hasNonNullValue() for statistics in filled):
            continue
        lower = min(_value(statistics.genericGetMin(), column.type) for statistics in filled)
        upper = max(_value(statistics.genericGetMax(), column.type) for statistics in filled)
        if column.type == "string":
            lower, upper = lower.decode()[:PREFIX], _longest(jvm, upper.decode())
        if (shown := _shown(lower, column.type)) is not None:
            least[column.name] = shown
        if (shown := _shown(upper, column.type)) is not None:
            greatest[column.name] = shown
    facts = {"numRecords": str(sum(group.rows for group in groups))}
    if any(column.type not in _UNORDERED for column in columns[:COLUMNS]):
        facts |= {"minValues": _object(least), "maxValues": _object(greatest)}
    facts |= {"nullCount": _object(nulls)}
    return _object(facts | ({"tightBounds": "true"} if tight else {}))


def _value(found: Any, type_name: str) -> Any:
    """Return a bound of a footer as a value that can be compared."""
    if type_name == "string":
        return bytes(found.getBytes())
    if _DECIMAL.fullmatch(type_name) and not isinstance(found, int):
        return int.from_bytes(bytes(found.getBytes()), "big", signed=True)
    return found


def _shown(value: Any, type_name: str) -> str | None:
    """Return a bound as JSON in Delta's form, None for one that is left out.

    value: as `_value` gives it; a text is shortened already.
    """
    if type_name in _INTEGERS:
        return str(value)
    if type_name in _FLOATS:
        # A footer does not tell which of the two zeros it was.
        return json.dumps(value) if value and math.isfinite(value) else None
    if decimal := _DECIMAL.fullmatch(type_name):
        return f"{Decimal(value).scaleb(-int(decimal[1]), _EXACT):f}"
    if type_name == "string":
        return None if value is None else json.dumps(value)
    try:
        if type_name == "date":
            return json.dumps((_EPOCH.date() + timedelta(days=value)).isoformat())
        moment = (_EPOCH + timedelta(milliseconds=value // 1000)).isoformat("T", "milliseconds")
    except OverflowError:
        return None  # Python has no such day
    return json.dumps(moment + ("Z" if type_name == "timestamp" else ""))


def _longest(jvm: Any, text: str) -> str | None:
    """Return an upper bound of a text in Delta's short form, None if there is none."""
    if len(text) <= PREFIX // 2:  # a character may be two in UTF-16
        return text
    shortened = scala_object(jvm, _CUT).truncateMaxStringAgg(PREFIX, text)
    return None if shortened is None else str(shortened)


def _object(members: Mapping[str, str]) -> str:
    """Return a JSON object, of names and of values that are JSON already."""
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members.items()) + "}"
