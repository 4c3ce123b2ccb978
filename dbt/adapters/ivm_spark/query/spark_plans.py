"""Plans of a query as EXPLAIN prints them, whole; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dbt.adapters.ivm_spark.source.reader import Query

_WHOLE_PLANS = {
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    # Delta would list each scan's files, and Spark ask for their bytes: jobs that take ten times as
    # long as the rest and leave no trace in an optimized plan.
    "spark.databricks.delta.stats.skipping": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.debug.maxToStringFields": "100000",
}


@contextmanager
def whole_plans(query: Query) -> Iterator[None]:
    """Keep Delta from putting values of its log in the place of min, max and count, and Spark from
    cutting long lists, while plans are asked for."""
    for key, value in _WHOLE_PLANS.items():
        query(f"set {key}={value}")
    try:
        yield
    finally:
        for key in _WHOLE_PLANS:
            query(f"reset {key}")


def explained(query: Query, sql: str) -> str:
    """The parsed, analyzed, optimized and physical plan of a query, as one text."""
    return str(next(iter(query(f"explain extended\n{sql}")[0].values())))
