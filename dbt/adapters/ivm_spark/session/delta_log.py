"""The log of a Delta table, through the JVM that runs in this process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

_OURS = "spark_catalog"
_known: WeakKeyDictionary[SparkSession, dict[str, Any]] = WeakKeyDictionary()
"""What the catalog said of tables, by session: a plan asks for each of them several times."""


@dataclass(frozen=True)
class Java:
    """Classes of the JVM: DeltaLog, scala.Option, TableIdentifier and Hadoop's Path."""

    log: Any
    option: Any
    identifier: Any
    path: Any


@lru_cache(maxsize=1)
def java(jvm: Any) -> Java:
    """Each part of a class's name is a question to the JVM: twenty in all."""
    return Java(
        jvm.org.apache.spark.sql.delta.DeltaLog,
        jvm.scala.Option,
        jvm.org.apache.spark.sql.catalyst.TableIdentifier,
        jvm.org.apache.hadoop.fs.Path,
    )


def newest_snapshot(session: SparkSession, table: str) -> tuple[Any, Any]:
    """The DeltaLog of a table (quoted name, with its schema), and its newest snapshot. Where the
    table lies is asked once, see `forget_tables`.

    Raises ValueError for what is no Delta table of Spark's own catalog, Py4JError for what is not
    there.
    """
    spark, classes = session._jsparkSession, java(session._jvm)
    known = _known.setdefault(session, {})
    if table not in known:
        known[table] = _described(spark, classes, table)
    found = known[table]
    log = classes.log.forTable(spark, found)
    option = classes.option
    return log, log.update(False, option.empty(), option.apply(found))


def forget_tables(session: SparkSession) -> None:
    """Ask the catalog again for each table: a statement may have created or dropped one."""
    _known.pop(session, None)


def _described(spark: Any, classes: Java, table: str) -> Any:
    """What Spark's own catalog has of a table."""
    state = spark.sessionState()
    parts = state.sqlParser().parseMultipartIdentifier(table)
    *catalog, schema, name = (parts.apply(place) for place in range(parts.length()))
    if (catalog or [state.catalogManager().currentCatalog().name()]) != [_OURS]:
        raise ValueError(table)
    identifier = classes.identifier(name, classes.option.apply(schema))
    found = state.catalog().getTableMetadata(identifier)
    if found.provider().toString().lower() != "some(delta)":
        raise ValueError(table)
    return found
