"""The plans and columns that Spark's analyzer and optimizer give a query, without a statement.

EXPLAIN EXTENDED also plans a query physically, which takes most of its time. DESCRIBE QUERY runs
as a command of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.description import type_of

_EXPLAIN, _DESCRIBE = "explain extended\n", "describe query\n"
_FIELDS = 100_000
"""The number of columns from which Spark cuts a list short."""


def explanation(session: SparkSession, sql: str) -> list[dict[str, str]] | None:
    """Return the row (plan) of EXPLAIN EXTENDED with the analyzed and the optimized plan.

    Nothing runs. None for any other statement, and for a query that Spark rejects: the statement
    says why.

    session: of this process, not of a server.
    Source: the sections are those of Spark's ExplainCommand and QueryExecution.
    """
    if not sql.startswith(_EXPLAIN):
        return None
    try:
        with active(session):
            return [{"plan": _plans(_execution(session, sql.removeprefix(_EXPLAIN)))}]
    except (Py4JError, PySparkException):
        return None


def columns(session: SparkSession, sql: str) -> list[dict[str, str]] | None:
    """Return the rows (col_name, data_type) of DESCRIBE QUERY.

    None for any other statement, for a query that Spark rejects, and if a column's type is neither
    a single word nor a decimal: only the statement spells such a type.

    session: of this process, not of a server.
    """
    if not sql.startswith(_DESCRIBE):
        return None
    try:
        with active(session):
            schema = _execution(session, sql.removeprefix(_DESCRIBE)).analyzed().schema().json()
        fields = json.loads(schema)["fields"]
        return [{"col_name": field["name"], "data_type": type_of(field)} for field in fields]
    except (Py4JError, PySparkException, ValueError):
        return None


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Make the session's settings apply to the parser.

    The parser asks the thread for them. How it reads a literal depends on the time zone, among
    others.
    """
    jvm: Any = session._jvm
    sessions = getattr(getattr(jvm.org.apache.spark.sql.classic, "SparkSession$"), "MODULE$")
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def _execution(session: SparkSession, query: str) -> Any:
    """Return a query's execution, without running any of it."""
    state = session._jsparkSession.sessionState()
    jvm: Any = session._jvm
    skip = jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    return state.executePlan(state.sqlParser().parsePlan(query), skip)


def _plans(execution: Any) -> str:
    analyzed, optimized = _text(execution.analyzed()), _text(execution.optimizedPlan())
    return (
        # The statement has a line with the columns' types here; this text has an empty line.
        f"== Analyzed Logical Plan ==\n\n{analyzed}\n"
        f"== Optimized Logical Plan ==\n{optimized}\n== Physical Plan ==\n"
    )


def _text(plan: Any) -> str:
    """Return a plan's tree, with a line break at its end."""
    return str(plan.treeString(True, False, _FIELDS, False, False))
