"""Spark is asked whether two texts say the same: EXPLAIN of both, which runs nothing."""

from __future__ import annotations

from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.view.judge import normalized_plan

_JUDGEMENTS = 6
_WHOLE_PLANS = {
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    "spark.sql.debug.maxToStringFields": "100000",
}


def same_meaning(query: Query, sql: str, written: str) -> bool:
    """Whether Spark plans both texts alike.

    Some of its rules order what they make by hashes of expression ids, which are new in every
    plan: one plan that both have is proof, so more than one is asked for. Delta must not put values
    of its log in the place of min, max and count, and Spark must not cut long lists: a plan does
    not show them.
    """

    def plan(text: str) -> str | None:
        explained = query(f"explain extended\n{text}")[0]
        return normalized_plan(str(next(iter(explained.values()))))

    for key, value in _WHOLE_PLANS.items():
        query(f"set {key}={value}")
    given: set[str | None] = set()
    ours: set[str | None] = set()
    try:
        for _ in range(_JUDGEMENTS):
            given.add(plan(sql))
            ours.add(plan(written))
            if (given & ours) - {None}:
                return True
        return False
    finally:
        for key in _WHOLE_PLANS:
            query(f"reset {key}")
