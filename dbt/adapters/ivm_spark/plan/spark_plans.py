"""Plans of a query as EXPLAIN prints them, whole; nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.plan_equivalence import normalized_plan

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


_JUDGEMENTS = 6

Respelled = Callable[[str], str]
"""What is done to the plan of the second text before it is compared."""


def plans_are_equivalent(query: Query, sql: str, written: str, respelled: Respelled = str) -> bool:
    """Whether Spark plans both texts alike.

    Some of its rules order what they make by hashes of expression ids, which are new in every
    plan: one plan that both have is proof, so more than one is asked for.
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
