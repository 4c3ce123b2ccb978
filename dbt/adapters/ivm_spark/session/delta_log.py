"""The log of a Delta table, read through this process's JVM."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, SparkSession

COLUMN_METADATA = frozenset(
    {"comment", "delta.columnMapping.id", "delta.columnMapping.physicalName"}
)
"""Metadata of columns whose values Delta and Spark neither compute nor pad nor check. Defaults,
generated and identity columns and CHAR have other metadata."""
_OURS = "spark_catalog"
_BETWEEN = "\x00"
"""A separator that no name contains."""
_CATALOG = ""
"""The key in `_known` of the session's catalog; the other keys are names of relations."""
_known: WeakKeyDictionary[SparkSession, dict[str, Any]] = WeakKeyDictionary()
"""The catalog's answers on relations, by session: a plan asks for each several times."""


@dataclass(frozen=True)
class Java:
    """Classes of the JVM.

    Attributes:
        log: Delta's DeltaLog.
        option: scala.Option.
        identifier: Spark's TableIdentifier.
        path: Hadoop's Path.
    """

    log: Any
    option: Any
    identifier: Any
    path: Any


@lru_cache(maxsize=1)
def java(jvm: Any) -> Java:
    """Return the JVM's classes, looked up once.

    Each part of a class's name is a request to the JVM: twenty in all.
    """
    return Java(
        jvm.org.apache.spark.sql.delta.DeltaLog,
        jvm.scala.Option,
        jvm.org.apache.spark.sql.catalyst.TableIdentifier,
        jvm.org.apache.hadoop.fs.Path,
    )


def scala_object(package: Any, name: str) -> Any:
    """Return the single instance of a Scala object."""
    return getattr(getattr(package, name + "$"), "MODULE$")


def newest_snapshot(session: SparkSession, table: str) -> tuple[Any, Any]:
    """Return the DeltaLog of a table (quoted name, with its schema) and its newest snapshot.

    Raises ValueError unless it is a Delta table of Spark's own catalog, and Py4JError if it does
    not exist.
    """
    found = catalog_entry(session, table)
    if found.provider().toString().lower() != "some(delta)":
        raise ValueError(table)
    classes = java(session._jvm)
    log = classes.log.forTable(session._jsparkSession, found)
    option = classes.option
    return log, log.update(False, option.empty(), option.apply(found))


def known_files(snapshot: Any) -> Any | None:
    """Return the files of a snapshot if Delta's checksum of the version has them, else None.

    Source: Delta's protocol, "Version Checksum File".
    """
    found = snapshot.checksumOpt()
    files = found.get().allFiles() if found.isDefined() else None
    return files.get() if files is not None and files.isDefined() else None


def scan_of(session: SparkSession, log: Any, snapshot: Any, files: Any) -> DataFrame:
    """Return a scan of some files of a snapshot, which is planned without choosing files.

    Source: DeltaLog.createDataFrame and TahoeBatchFileIndex.
    """
    option = java(session._jvm).option
    return DataFrame(log.createDataFrame(snapshot, files, False, option.empty()), session)


def forget_tables(session: SparkSession) -> None:
    """Forget the catalog's answers: a statement may have created or dropped a table."""
    _known.pop(session, None)


def catalog_entry(session: SparkSession, name: str) -> Any:
    """Return the entry of a table or view in Spark's own catalog.

    The catalog is asked once for each name, until `forget_tables`.

    name: quoted, with its schema. Raises ValueError for a name of one part, which may be a
    temporary view's, and for another catalog. Raises Py4JError if the relation does not exist.
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
