"""Whole plans of a query, as EXPLAIN prints them; nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.plan_equivalence import normalized_plan

_WHOLE_PLANS = {
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    # Otherwise Delta lists each scan's files, and Spark asks for their bytes. These jobs take ten
    # times as long as the rest and leave no trace in an optimized plan.
    "spark.databricks.delta.stats.skipping": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.debug.maxToStringFields": "100000",
}


@contextmanager
def whole_plans(query: Query) -> Iterator[None]:
    """Make Spark print whole plans while they are asked for.

    Delta must not replace min, max and count with values of its log, and Spark must not cut long
    lists.
    """
    for key, value in _WHOLE_PLANS.items():
        query(f"set {key}={value}")
    try:
        yield
    finally:
        for key in _WHOLE_PLANS:
            query(f"reset {key}")


def explained(query: Query, sql: str) -> str:
    """Return the parsed, analyzed, optimized and physical plan of a query, as one text."""
    return str(next(iter(query(f"explain extended\n{sql}")[0].values())))


_JUDGEMENTS = 6

Respelled = Callable[[str], str]
"""Changes the plan of the second text before it is compared."""


def plans_are_equivalent(query: Query, sql: str, written: str, respelled: Respelled = str) -> bool:
    """Return whether Spark plans both texts alike.

    Some of Spark's rules order their output by hashes of expression ids, which are new in every
    plan. One plan that both texts have is proof, so the function asks for more than one.
    """

    def plan(text: str) -> str | None:
        return normalized_plan(explained(query, text))

    given: set[str | None] = set()
    ours: set[str | None] = set()
    with whole_plans(query):
        for _ in range(_JUDGEMENTS):
            given.add(plan(sql))
            found = plan(written)
            ours.add(found if found is None else respelled(found))
            if (given & ours) - {None}:
                return True
    return False
