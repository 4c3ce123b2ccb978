"""Makes a materialized relation a leaf of the plans that read it.

`CACHE TABLE v AS SELECT ...` stores the rows of a temporary view, and the view itself as its whole
plan. A query that names `v` three times has this plan three times, though Spark then reads the
stored rows. A relation that is made of others, and these of others again, has a plan that grows by
the same factor with each, and so has the number of its partitions. Spark analyzed such plans for
minutes, and its text for them filled the heap.

So the view's plan is replaced by a scan of its rows. Few rows are kept in the driver
(`local_rows`). If the relation is made of others and has somewhat more rows, they are copied into
one partition, whose scan does not even remember how they were computed. Otherwise the scan is that
of Spark's cache. It is that on a cluster too, where Spark must compute the rows again if it loses
an executor.

If a relation probably has few rows, the statement is not even sent.

DROP VIEW finds the stored rows by the view's name, as before. What looks for them by the view's
plan does not: UNCACHE TABLE, and `Catalog.dropTempView`.

Source: Spark's CacheManager, InMemoryRelation, LogicalRDD and TemporaryViewRelation.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.algebra.materialized import FEW_ROWS
from dbt.adapters.ivm_spark.session.condition import is_cancelled
from dbt.adapters.ivm_spark.session.garbage import free_java_objects
from dbt.adapters.ivm_spark.session.jvm import OPTION, java_class
from dbt.adapters.ivm_spark.session.local_rows import local_rows
from dbt.adapters.ivm_spark.session.spark import has_executors

COPIED_ROWS = 100_000
"""Rows up to which a relation that is made of others is copied into one partition."""
MATERIALIZED = r"ivm_materialized_\w+"
"""The names of materialized relations."""
COMMENT = r"\s*(?:/\*(?:(?!\*/).)*\*/\s*)?"
"""What dbt puts before a statement: at most one comment, and nothing beyond its end."""
_CACHED = re.compile(rf"{COMMENT}cache table ({MATERIALIZED}) as\b(.*)", re.DOTALL)
_DROPPED = re.compile(rf"{COMMENT}drop view if exists ({MATERIALIZED})\s*", re.DOTALL)
_OTHER = re.compile(MATERIALIZED)
_SCAN = "InMemoryRelation"
_copies: WeakKeyDictionary[SparkSession, dict[str, Any]] = WeakKeyDictionary()
"""The copied rows of each session's views, Spark's RDDs by the view's name."""
_log = logging.getLogger(__name__)


def store_few_rows(session: SparkSession, sql: str) -> bool:
    """Store the rows of a relation in the driver, and return whether that was done.

    Otherwise, the statement that stores them is still to be sent: it is another statement, the
    relation has more rows, or an error came, which the statement will have too.
    """
    found = _CACHED.match(sql)
    if found is None:
        return False
    name, query = found.groups()
    return _keep(session, query, lambda rows: rows.createOrReplaceTempView(name))


def keep_few_rows(session: SparkSession, name: str, query: str) -> bool:
    """Keep the rows of a query in the driver, as a view that all sessions of this Spark see.

    Return whether that was done. Otherwise, the rows are still to be stored by statements: there
    are more, Spark is on a cluster, or an error came, which the statements will have too.
    """
    return _keep(session, query, lambda rows: rows.createGlobalTempView(name))


def _keep(session: SparkSession, query: str, name: Callable[[DataFrame], None]) -> bool:
    """Keep the rows of a query in the driver if there are few, and name them.

    Return whether that was done.
    """
    if has_executors():
        return False
    try:
        rows = local_rows(session, session.sql(query))
        if rows is not None:
            name(rows)
    except (Py4JError, PySparkException, TypeError) as error:
        if is_cancelled(error):
            raise
        _log.debug("Few rows are stored by a statement: %s", error)
        return False
    return rows is not None


def note_stored_rows(session: SparkSession, sql: str) -> None:
    """Replace the plan of a view by a scan after the statement that stored its rows.

    After the statement that drops the view, its copied rows are dropped too. Any other statement
    changes nothing. If this Spark has other classes, the view stays as it is.
    """
    dropped = _DROPPED.fullmatch(sql)
    if dropped is not None:
        _quietly(lambda: _forget(session, dropped.group(1)))
        free_java_objects()
    found = _CACHED.match(sql)
    if found is not None:
        name, query = found.groups()
        _quietly(lambda: _replace(session, name, nested=_OTHER.search(query) is not None))


def _quietly(change: Callable[[], None]) -> None:
    try:
        change()
    except (Py4JError, PySparkException, TypeError) as error:
        _log.debug("A materialized relation keeps its plan: %s", error)


def _replace(session: SparkSession, name: str, nested: bool) -> None:
    table = session.table(name)
    scan = table._jdf.queryExecution().withCachedData()
    if not scan.nodeName().startswith(_SCAN):
        return
    counted = scan.stats().rowCount()
    if counted.isDefined() and not has_executors():
        rows = int(str(counted.get()))
        if rows <= FEW_ROWS and (local := local_rows(session, table)) is not None:
            table.unpersist()
            _set_plan(session, name, local._jdf.logicalPlan())
            return
        if nested and rows <= COPIED_ROWS:
            copy = table.coalesce(1)._jdf.localCheckpoint(True).logicalPlan()
            _copies.setdefault(session, {})[name] = copy.rdd()
            table.unpersist()
            _set_plan(session, name, copy)
            return
    # A second scan of the rows in one query has columns of its own, but Spark would leave it the
    # order of the first one's columns, and then misses them.
    unordered = scan.copy(scan.output(), scan.cacheBuilder(), scan.outputOrdering().take(0))
    getattr(unordered, "statsOfPlanToCache_$eq")(scan.statsOfPlanToCache())
    _set_plan(session, name, unordered)


def _set_plan(session: SparkSession, name: str, plan: Any) -> None:
    """Set the plan of a view. CREATE OR REPLACE TEMPORARY VIEW would drop its rows."""
    assert session._jvm is not None
    catalog = session._jsparkSession.sessionState().catalog()
    view = catalog.getRawTempView(name).get()
    stored = java_class(session._jvm, OPTION).apply(plan)
    catalog.createTempView(name, view.copy(view.tableMeta(), stored), True)


def _forget(session: SparkSession, name: str) -> None:
    rows = _copies.get(session, {}).pop(name, None)
    if rows is not None:
        rows.unpersist(False)
