"""The log of a Delta table, through the JVM that runs in this process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

_OURS = "spark_catalog"
_BETWEEN = "\x00"
"""What is in no name."""
_CATALOG = ""
"""The key of the session's catalog among the names of relations."""
_known: WeakKeyDictionary[SparkSession, dict[str, Any]] = WeakKeyDictionary()
"""What the catalog said of relations, by session: a plan asks for each of them several times."""


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
    """The DeltaLog of a table (quoted name, with its schema), and its newest snapshot.

    Raises ValueError for what is no Delta table of Spark's own catalog, Py4JError for what is not
    there.
    """
    found = catalog_entry(session, table)
    if found.provider().toString().lower() != "some(delta)":
        raise ValueError(table)
    classes = java(session._jvm)
    log = classes.log.forTable(session._jsparkSession, found)
    option = classes.option
    return log, log.update(False, option.empty(), option.apply(found))


def forget_tables(session: SparkSession) -> None:
    """Ask the catalog again for each table: a statement may have created or dropped one."""
    _known.pop(session, None)


def catalog_entry(session: SparkSession, name: str) -> Any:
    """What Spark's own catalog has of a table or view (quoted name, with its schema). It is asked
    once, see `forget_tables`.

    Raises ValueError for a name of one part, which may be a temporary view's, and for another
    catalog, Py4JError for what is not there.
    """
    known = _known.setdefault(session, {})
    if name not in known:
        state = session._jsparkSession.sessionState()
        if _CATALOG not in known:
            known[_CATALOG] = state.catalogManager().currentCatalog().name()
        parsed = state.sqlParser().parseMultipartIdentifier(name)
        *catalog, schema, relation = parsed.mkString(_BETWEEN).split(_BETWEEN)
        if (catalog or [known[_CATALOG]]) != [_OURS]:
            raise ValueError(name)
        classes = java(session._jvm)
        identifier = classes.identifier(relation, classes.option.apply(schema))
        known[name] = state.catalog().getTableMetadata(identifier)
    return known[name]
