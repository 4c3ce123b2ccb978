"""Computes a query of few rows once, and keeps its rows in the driver.

A relation in Spark's cache has a plan of several operators, and each query that reads it compiles
code for its blocks again. A `LocalRelation` is a leaf: Spark knows its size, broadcasts it, and
takes rows of it without a job. For a thousand rows that three queries read, it takes half as long.

Source: Spark's LocalRelation, LocalTableScanExec and Dataset.localCheckpoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.algebra.materialized import FEW_ROWS
from dbt.adapters.ivm_spark.session.jvm import OPTION, java_class, scala_object
from dbt.adapters.ivm_spark.session.spark import has_executors

_RELATION = "org.apache.spark.sql.catalyst.plans.logical.LocalRelation"
_DATASET = "org.apache.spark.sql.classic.Dataset"
_SPARK = "org.apache.spark.SparkEnv"
_BLOCK = "org.apache.spark.storage.RDDBlockId"
_NO_ROWS = "scala.collection.immutable.Nil"
MOST_BYTES = 32_000_000
"""Size of the largest relation in the driver, as rows in memory."""


def local_rows(session: SparkSession, rows: DataFrame) -> DataFrame | None:
    """Compute a query, and return its rows as a relation of the driver.

    None if there are more than `FEW_ROWS`, or if they take more than `MOST_BYTES`. Each query that
    reads the relation sends the rows to its tasks. From about 40,000 rows on, that takes longer
    than reading Spark's cache.

    session: of a Spark in this process, not of a server or a cluster.
    """
    # The rows are computed by an action of Spark's own, under the session's settings, in Spark's
    # own form of a row: a row of Python or Java does not hold every value exactly.
    jvm: Any = session._jvm
    computed = rows.limit(FEW_ROWS + 1)._jdf.localCheckpoint(True).logicalPlan()
    stored = computed.rdd()
    try:
        values = _values(jvm, stored)
    finally:
        stored.unpersist(False)
    if values is None or values.size() > FEW_ROWS:
        return None
    none = java_class(jvm, OPTION).empty()
    relation = java_class(jvm, _RELATION)(computed.output(), values, False, none)
    dataset = scala_object(jvm, _DATASET)
    return DataFrame(dataset.ofRows(session._jsparkSession, relation), session)


def _values(jvm: Any, stored: Any) -> Any | None:
    """Return a stored RDD's rows as a Scala sequence, None if they take more than `MOST_BYTES`.

    Its blocks are in this process's JVM, so that no job is needed to read them.
    """
    manager = java_class(jvm, _SPARK).get().blockManager()
    block = java_class(jvm, _BLOCK)
    blocks = [block(stored.id(), number) for number in range(stored.getNumPartitions())]
    known = [status.get() for found in blocks if (status := manager.getStatus(found)).isDefined()]
    if sum(int(status.memSize()) + int(status.diskSize()) for status in known) > MOST_BYTES:
        return None
    values = scala_object(jvm, _NO_ROWS)
    for found in blocks:
        # Reading a block to its end releases it.
        rows = manager.getLocalValues(found).get().data().toList()
        values = values.appendedAll(rows)
    return values


@contextmanager
def computed_once(session: SparkSession, rows: DataFrame, few: bool) -> Iterator[DataFrame]:
    """Let queries read the rows of a query that Spark computes once.

    Args:
        session: of this process, not of a server.
        rows: the query.
        few: it probably has at most `FEW_ROWS` rows.
    """
    local = local_rows(session, rows) if few and not has_executors() else None
    if local is not None:
        yield local
        return
    stored = rows.persist()
    try:
        yield stored
    finally:
        stored.unpersist()
