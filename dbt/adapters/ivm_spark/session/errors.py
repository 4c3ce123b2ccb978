"""Messages of Spark errors, without the JVM's additions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from dbt.adapters.ivm_spark.session.condition import CONDITION

_JAVA_CLASS = r"(?:[a-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable|Failure)"
_PREFIXES = re.compile(
    rf"^(?:\s*(?:{_JAVA_CLASS}|Error running query|Caused by|Exception)\s*:\s*"
    rf"|\s*\({_JAVA_CLASS}\)\s*"
    rf"|\s*\[[A-Z][A-Z0-9_.]*\]\s+(?={_JAVA_CLASS}\s*:))+"
)
_LOST_TASK = re.compile(r"most recent failure: Lost task .*?\(TID \d+\) \([^)]*\): ", re.DOTALL)
_STACK = re.compile(
    r"\n\s*(?:at [\w.$/<>-]+\(|\.\.\. \d+ more|Driver stacktrace:|JVM stacktrace:)", re.MULTILINE
)
_FRAME = re.compile(r"\n\s*at ([\w.$/<>-]+\([^)]*\))")
_PLAN = re.compile(r"(; line \d+ pos \d+|SQLSTATE: \w{5})?;\n['+!:\w].*", re.DOTALL)
_SAY_NOTHING = (
    "Job aborted",
    "Exception thrown in awaitResult",
    "[TASK_WRITE_FAILED]",
    "[UNEXPECTED_EXCEPTION]",
    "Unable to instantiate",
)
_DEFECT = "[INTERNAL_ERROR"
"""Spark says this of an assertion or a null pointer of its own or of Delta's."""
_LOST = ("Py4JNetworkError", "TTransportException", "EOFError")
_SPARK_ENDED = (
    "Spark's process has ended or does not answer. It was killed, or it ran out of memory (set "
    "spark.driver.memory in server_side_parameters). Its log is logs/spark.log. Statements that "
    "had not committed changed nothing; run dbt again."
)
_HINTS = (
    (
        "Another instance of Derby may have already booted the database",
        "The embedded catalog (metastore_db in the working directory) serves one process at a "
        "time. End the other dbt or Spark process that uses it, set keep_spark: 30m in the "
        "profile so that all dbt processes use one Spark, or set "
        "spark.hadoop.javax.jdo.option.ConnectionURL in server_side_parameters.",
    ),
    (
        "[DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES]",
        "Delta stores a struct field of that name only with column mapping. Rename the field, or "
        "give the model tblproperties: {delta.columnMapping.mode: name} and emit_changes: false "
        "(Delta can't create a table from a query with both column mapping and a change feed).",
    ),
    (
        "[MISSING_CATALOG_ABILITY.VIEWS]",
        "Set publish: table, and the ivm model is a table there; or remove database.",
    ),
    (
        "[FAILED_READ_FILE.FILE_NOT_EXIST]",
        "A table's log names a data file that no longer exists: somebody deleted it, or VACUUM "
        "ran with too short a retention. Restore the file, or reload the table's rows.",
    ),
    (
        "Error occurred while processing GET request",
        "The server of an Iceberg REST catalog does not answer. Check that it runs, and that the "
        "catalog's uri is its address; then run dbt again.",
    ),
    (
        "java.lang.StackOverflowError",
        "The query is nested too deeply for Spark. Split it, or give Spark's threads a larger "
        "stack with spark.driver.extraJavaOptions: -Xss16m in server_side_parameters.",
    ),
    (
        "Java heap space",
        "Spark ran out of memory. Raise spark.driver.memory in server_side_parameters.",
    ),
)


def clean_message(text: str) -> str:
    """Return an error's text without stack frames, wrapper classes, task locations and plans.

    The error condition, the SQLSTATE, the position in the SQL and Spark's own excerpt of the
    SQL stay.
    """
    lost = _LOST_TASK.search(text)
    if lost:
        text = text[lost.end() :]
    stack = _STACK.search(text)
    if stack:
        text = text[: stack.start()]
    text = _PREFIXES.sub("", text, count=1)
    text = _PLAN.sub(lambda found: found.group(1) or "", text)
    return text.strip()


def best_message(texts: Iterable[str]) -> str:
    """Return the most useful message of a chain of causes, given outermost first.

    That is the outermost message with an error condition of Spark or Delta. If there is none, it
    is the outermost message that says something, followed by the root cause. An internal error
    of Spark is followed by its root cause and the place of it, which a report to Spark needs.
    """
    said = list(texts)
    messages = [message for message in map(clean_message, said) if message]
    telling = [message for message in messages if not message.startswith(_SAY_NOTHING)]
    for message in telling:
        if message.startswith(_DEFECT) and len(said) > 1:
            place = _FRAME.search(said[-1])
            where = f" (at {place[1]})" if place else ""
            return f"{message}\nCause: {clean_message(said[-1])}{where}"
        if CONDITION.match(message):
            return _with_hint(message)
    if not telling:
        return _with_hint(messages[0]) if messages else ""
    first, root = telling[0], telling[-1]
    if root in first:
        return _with_hint(first)
    return _with_hint(root if first in root else f"{first}\nCause: {root}")


def chain(text: str) -> list[str]:
    """Return the messages in a server's text of an error, with its stack, outermost first."""
    return text.split("\nCaused by: ")


def error_message(error: BaseException) -> str:
    """Return the message of a connection's error: PySpark, Py4J, Thrift, ODBC or plain Python."""
    if isinstance(error, ConnectionError) or type(error).__name__ in _LOST:
        return f"{_SPARK_ENDED} ({error})"
    return best_message(_texts(error)) or type(error).__name__


def _with_hint(message: str) -> str:
    hints = [hint for sign, hint in _HINTS if sign in message and hint not in message]
    return "\n".join([message, *hints])


def _texts(error: BaseException) -> Iterator[str]:
    """Yield the messages of an error and of its causes, outermost first."""
    status = getattr(error.args[0], "status", None) if error.args else None
    if status is not None:
        yield from chain(str(status.errorMessage))
        return
    java_error = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if java_error is not None:
        yield from _java_texts(java_error)
        return
    yield str(getattr(error, "_desc", None) or error)
    # Spark Connect's exceptions have their causes nowhere but in the server's stack.
    yield from chain(str(getattr(error, "_stacktrace", None) or ""))[1:]
    cause = getattr(error, "_cause", None)
    if isinstance(cause, BaseException):
        yield from _texts(cause)


def _java_texts(java_error: object) -> Iterator[str]:
    """Yield the messages of a Java Throwable (a Py4J object) and of its causes, each with the
    place that it was thrown at."""
    current: Any = java_error
    while current is not None:
        message, stack = current.getMessage() or current.toString(), current.getStackTrace()
        yield f"{message}\n\tat {stack[0].toString()}" if len(stack) else str(message)
        current = current.getCause()
