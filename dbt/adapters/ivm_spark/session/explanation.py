"""EXPLAIN EXTENDED of a query without its physical plan, which takes the most time."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

_STATEMENT = "explain extended\n"
_FIELDS = 100_000
"""The number of columns from which on Spark would cut a list."""


def explanation(session: SparkSession, sql: str) -> list[dict[str, str]] | None:
    """Return the row (plan) of EXPLAIN EXTENDED with the analyzed and the optimized plan.

    Nothing is run. None for any other statement, and for a query that Spark rejects: the statement
    says why.

    session: of this process, not of a server.
    Source: Spark's ExplainCommand and QueryExecution, whose sections these are.
    """
    if not sql.startswith(_STATEMENT):
        return None
    try:
        return [{"plan": _plans(session, sql.removeprefix(_STATEMENT))}]
    except (Py4JError, PySparkException):
        return None


def _plans(session: SparkSession, query: str) -> str:
    state = session._jsparkSession.sessionState()
    jvm: Any = session._jvm
    skip = jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    execution = state.executePlan(state.sqlParser().parsePlan(query), skip)
    analyzed, optimized = _text(execution.analyzed()), _text(execution.optimizedPlan())
    return (
        f"== Analyzed Logical Plan ==\n{analyzed}\n"
        f"== Optimized Logical Plan ==\n{optimized}\n== Physical Plan ==\n"
    )


def _text(plan: Any) -> str:
    """A plan's tree, with a line break at its end."""
    return str(plan.treeString(True, False, _FIELDS, False, False))
