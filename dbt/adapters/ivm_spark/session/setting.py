"""SET and RESET of one setting without a statement, which takes Spark ten times as long."""

from __future__ import annotations

import re

from pyspark.sql import SparkSession

_SET = re.compile(r"set (spark\.[\w.]+)=([\w.+/=:-]+)", re.IGNORECASE)
_RESET = re.compile(r"reset (spark\.[\w.]+)", re.IGNORECASE)


def configured(session: SparkSession, sql: str) -> bool:
    """Do what a plain SET or RESET says, of one setting of Spark and one bare word; False, and
    nothing done, for any other statement.

    session: of this process, not of a server. Raises what the statement would.
    Source: Spark's documentation, "SET" and "RESET".
    """
    if said := _SET.fullmatch(sql):
        session.conf.set(said[1], said[2])
        return True
    if said := _RESET.fullmatch(sql):
        session.conf.unset(said[1])
        # RESET gives back what Spark was started with, which unset does not.
        started_with = session._jsparkSession.sparkContext().conf().getOption(said[1])
        if started_with.isDefined():
            session.conf.set(said[1], started_with.get())
        return True
    return False
