"""The log of a Delta table, read through this process's JVM."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.session.jvm import OPTION, java_class, names_in

COLUMN_METADATA = frozenset(
    {"comment", "delta.columnMapping.id", "delta.columnMapping.physicalName"}
)
"""Metadata of columns whose values Delta and Spark neither compute nor pad nor check. Defaults,
generated and identity columns and CHAR have other metadata."""
_LOG = "org.apache.spark.sql.delta.DeltaLog"
_IDENTIFIER = "org.apache.spark.sql.catalyst.TableIdentifier"
_OURS = "spark_catalog"
_CATALOG = ""
"""The key in `_known` of the session's catalog; the other keys are names of relations."""
_known: WeakKeyDictionary[SparkSession, dict[str, Any]] = WeakKeyDictionary()
"""The catalog's answers on relations, by session: a plan asks for each several times."""


def newest_snapshot(session: SparkSession, table: str) -> tuple[Any, Any]:
    """Return the DeltaLog of a table (quoted name, with its schema) and its newest snapshot.

    Raises ValueError unless it is a Delta table of Spark's own catalog, and Py4JError if it does
    not exist.
    """
    found = catalog_entry(session, table)
    if found.provider().toString().lower() != "some(delta)":
        raise ValueError(table)
    log = java_class(session._jvm, _LOG).forTable(session._jsparkSession, found)
    option = java_class(session._jvm, OPTION)
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
    option = java_class(session._jvm, OPTION)
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
        *catalog, schema, relation = names_in(parsed)
        if (catalog or [known[_CATALOG]]) != [_OURS]:
            raise ValueError(name)
        option = java_class(session._jvm, OPTION)
        identifier = java_class(session._jvm, _IDENTIFIER)(relation, option.apply(schema))
        known[name] = state.catalog().getTableMetadata(identifier)
    return known[name]
