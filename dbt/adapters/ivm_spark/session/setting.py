"""Settings without a statement: SET and RESET take Spark ten times as long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.activity import note_statement

_SET = re.compile(r"set (spark\.[\w.]+)=([\w.+/=:-]+)", re.IGNORECASE)
_RESET = re.compile(r"reset (spark\.[\w.]+)", re.IGNORECASE)
_ASKED = re.compile(r"set (spark\.[\w.]+)", re.IGNORECASE)


_KEPT = 16
_answers: dict[str, list[dict[str, str]]] = {}
"""SET's answers, by the session's settings, which are the same for most models of a run."""


def every_setting(session: SparkSession, sql: str) -> list[dict[str, str]] | None:
    """Return the rows (key, value) of SET without a key, None for any other statement.

    session: of this process, not of a server.
    """
    if sql != "set":
        return None
    given = str(session._jsparkSession.conf().getAll().toString())
    if given not in _answers:
        if len(_answers) >= _KEPT:
            _answers.clear()
        note_statement(sql)
        rows = session.sql(sql).collect()
        _answers[given] = [{"key": row["key"], "value": row["value"]} for row in rows]
    return _answers[given]


def setting(session: SparkSession, sql: str) -> list[dict[str, str]] | None:
    """Return the rows (key, value) of a SET that asks for one setting, else None.

    session: of this process, not of a server. Raises what the statement would raise.
    """
    said = _ASKED.fullmatch(sql)
    return None if said is None else [{"key": said[1], "value": session.conf.get(said[1]) or ""}]


def configured(session: SparkSession, sql: str) -> bool:
    """Execute a plain SET or RESET, and return whether the statement is one.

    A plain one names one setting of Spark and one bare word. For any other statement, the function
    does nothing and returns False.

    session: of this process, not of a server. Raises what the statement would raise.
    Source: Spark's documentation, "SET" and "RESET".
    """
    if said := _SET.fullmatch(sql):
        session.conf.set(said[1], said[2])
        return True
    if said := _RESET.fullmatch(sql):
        session.conf.unset(said[1])
        # RESET restores the value that Spark was started with; unset does not.
        started_with = session._jsparkSession.sparkContext().conf().getOption(said[1])
        if started_with.isDefined():
            session.conf.set(said[1], started_with.get())
        return True
    return False


@contextmanager
def set_for_now(session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Set settings until the block ends. The session must not have values of its own for them.

    session: of this process, not of a server.
    """
    for key, value in settings.items():
        session.conf.set(key, value)
    try:
        yield
    finally:
        for key in settings:
            session.conf.unset(key)
