"""The plans and columns that Spark's analyzer and optimizer give a query, without a statement.

EXPLAIN EXTENDED also plans a query physically, which takes most of its time. DESCRIBE QUERY runs
as a command of its own.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.description import type_of
from dbt.adapters.ivm_spark.session.jvm import java_class, scala_object
from dbt.adapters.ivm_spark.sql.plan_pushed import OF_CATALOGS

_EXPLAIN, _DESCRIBE = "explain extended\n", "describe query\n"
_MODES = "org.apache.spark.sql.execution.CommandExecutionMode"
_SESSIONS = "org.apache.spark.sql.classic.SparkSession"
_KEPT = 16
"""How many analyses are kept: a model's own, and those of its operators that are asked about."""
_OPTIMIZER = re.compile(
    r"(set|reset) `?spark\.(sql\.(optimizer|debug|iceberg\.aggregate-push-down)\."
    r"|databricks\.delta\.(stats|optimizeMetadata))"
)
"""Statements that change settings which the analyzer does not read."""
_FIELDS = 100_000
"""The number of columns from which Spark cuts a list short."""


class Explanations:
    """Explains and describes queries for one connection.

    A query that has been described is often explained next, with the same analysis.

    Args:
        session: the connection's session, of this process and not of a server.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._described: OrderedDict[str, Any] = OrderedDict()
        """The executions of the last few queries that were described, by their text."""

    def known(self, sql: str) -> list[dict[str, str]] | None:
        """Return the rows of EXPLAIN EXTENDED or DESCRIBE QUERY. Nothing runs.

        They are (plan), with the analyzed and the optimized plan, or (col_name, data_type). If the
        query reads a table of another catalog, the physical plan follows.

        None for any other statement and for a query that Spark rejects: the statement says why.
        None also if a column's type is neither a single word nor a decimal: only the statement
        spells such a type.

        Source: the sections are those of Spark's ExplainCommand and QueryExecution.
        """
        try:
            if sql.startswith(_EXPLAIN):
                with active(self._session):
                    return [{"plan": self._plans(sql.removeprefix(_EXPLAIN))}]
            if sql.startswith(_DESCRIBE):
                with active(self._session):
                    return self._columns(sql.removeprefix(_DESCRIBE))
        except (Py4JError, PySparkException, ValueError):
            return None
        return None

    def forget_after(self, sql: str) -> None:
        """Forget all analyses, unless a statement can't have changed what they depend on."""
        if not _OPTIMIZER.match(sql):
            self._described.clear()

    def _plans(self, query: str) -> str:
        execution = self._described.pop(query, None) or self._execution(query)
        analyzed, optimized = _text(execution.analyzed()), _text(execution.optimizedPlan())
        physical = _text(execution.sparkPlan()) if OF_CATALOGS in optimized else ""
        return (
            # The statement has a line with the columns' types here; this text has an empty line.
            f"== Analyzed Logical Plan ==\n\n{analyzed}\n"
            f"== Optimized Logical Plan ==\n{optimized}\n== Physical Plan ==\n{physical}"
        )

    def _columns(self, query: str) -> list[dict[str, str]]:
        execution = self._execution(query)
        fields = json.loads(execution.analyzed().schema().json())["fields"]
        found = [{"col_name": field["name"], "data_type": type_of(field)} for field in fields]
        self._described[query] = execution
        if len(self._described) > _KEPT:
            self._described.popitem(last=False)
        return found

    def _execution(self, query: str) -> Any:
        """Return a query's execution, without running any of it."""
        state = self._session._jsparkSession.sessionState()
        jvm: Any = self._session._jvm
        skip = java_class(jvm, _MODES).SKIP()
        return state.executePlan(state.sqlParser().parsePlan(query), skip)


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Make the session's settings apply to the parser.

    The parser asks the thread for them. How it reads a literal depends on the time zone, among
    others.
    """
    jvm: Any = session._jvm
    sessions = scala_object(jvm, _SESSIONS)
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def _text(plan: Any) -> str:
    """Return a plan's tree, with a line break at its end."""
    return str(plan.treeString(True, False, _FIELDS, False, False))
