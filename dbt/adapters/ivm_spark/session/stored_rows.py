"""Makes a materialized relation a leaf of the plans that read it.

`CACHE TABLE v AS SELECT ...` stores the rows of a temporary view, and the view itself as its whole
plan. A query that names `v` three times has this plan three times, though Spark then reads the
stored rows. A relation that is made of others, and these of others again, has a plan that grows by
the same factor with each. Spark analyzed such plans for minutes, and ran out of memory.

So the view's plan is replaced by the scan of its stored rows. DROP VIEW finds the stored rows by
the view's name, as before. What looks for them by the view's plan does not: UNCACHE TABLE, and
`Catalog.dropTempView`.

Source: Spark's CacheManager and TemporaryViewRelation.
"""

from __future__ import annotations

import logging
import re

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

_CACHED = re.compile(r"\s*(?:/\*.*?\*/\s*)?cache table (ivm_materialized_\w+) as\b", re.DOTALL)
_SCAN = "InMemoryRelation"
_log = logging.getLogger(__name__)


def read_stored_rows(session: SparkSession, sql: str) -> None:
    """Replace the plan of a view by the scan of its rows, after the statement that stored them.

    Any other statement changes nothing. If this Spark has other classes, the view stays as it is.
    """
    found = _CACHED.match(sql)
    if found is None:
        return
    name = found.group(1)
    try:
        _replace(session, name)
    except (Py4JError, PySparkException) as error:
        _log.debug("The view %s keeps its plan: %s", name, error)


def _replace(session: SparkSession, name: str) -> None:
    assert session._jvm is not None
    scan = session.table(name)._jdf.queryExecution().withCachedData()
    if not scan.nodeName().startswith(_SCAN):
        return
    # A second scan of the rows in one query has columns of its own, but Spark would leave it the
    # order of the first one's columns, and then misses them.
    unordered = scan.copy(scan.output(), scan.cacheBuilder(), scan.outputOrdering().take(0))
    getattr(unordered, "statsOfPlanToCache_$eq")(scan.statsOfPlanToCache())
    catalog = session._jsparkSession.sessionState().catalog()
    view = catalog.getRawTempView(name).get()
    # CREATE OR REPLACE TEMPORARY VIEW would drop the rows.
    plan = session._jvm.scala.Option.apply(unordered)
    catalog.createTempView(name, view.copy(view.tableMeta(), plan), True)
