"""Spark is asked whether two texts say the same: EXPLAIN of both, which runs nothing."""

from __future__ import annotations

from collections.abc import Callable

from dbt.adapters.ivm_spark.query.spark_plans import explained, whole_plans
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.view.judge import normalized_plan

_JUDGEMENTS = 6

Respelled = Callable[[str], str]
"""What is done to the plan of the second text before it is compared."""


def same_meaning(query: Query, sql: str, written: str, respelled: Respelled = str) -> bool:
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
