"""Tests of whether an error is Spark's own answer to a statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from dbt_common.exceptions import DbtDatabaseError

# [TABLE_OR_VIEW_NOT_FOUND], [DELTA_CHANGE_DATA_FEED_...], [CAST_INVALID_INPUT.WITH_SUGGESTION]
CONDITION = re.compile(r"\[[A-Z][A-Z0-9_]*(\.[A-Z0-9_]+)*\]")

T = TypeVar("T")

_SQLSTATE = re.compile(r"SQLSTATE: (\w{5})")
_NOT_ANALYZED = ("0A", "21", "23K01", "42", "46", "54", "56", "XX")
_CANCELLED = "XXKDA"
"""A statement that somebody cancelled."""
_NOT_OURS = ("42501", _CANCELLED)
"""Missing privileges, and a cancelled statement."""


def is_rejection(message: str) -> bool:
    """Return whether an error says that Spark does not analyze or plan a statement.

    Source: Spark's documentation, "SQLSTATE codes": class 42 is a syntax error or a name that is
    not found, 0A a feature that is not supported, 21 several rows where one is asked for, XX an
    internal error.
    """
    found = _SQLSTATE.search(message)
    if found is None:
        return False
    state = found.group(1)
    return state.startswith(_NOT_ANALYZED) and state not in _NOT_OURS


def is_cancelled(error: Exception) -> bool:
    """Return whether an error says that somebody cancelled a statement."""
    return f"SQLSTATE: {_CANCELLED}" in str(error)


def attempted(ask: Callable[[], T]) -> T | None:
    """Return what a call finds, None if Spark can't run its statements. A cancelled run ends."""
    try:
        return ask()
    except DbtDatabaseError as error:
        if is_cancelled(error):
            raise
        return None


def says_condition(error: DbtDatabaseError) -> bool:
    """Return whether an error has an error condition, such as [TABLE_OR_VIEW_NOT_FOUND].

    An error that says that no answer came has none.

    Source: Spark's documentation, "Error Conditions".
    """
    return CONDITION.search(str(error.msg)) is not None


def is_taken(query: Callable[[str], object], sql: str) -> bool:
    """Return whether Spark takes a statement. Raises DbtDatabaseError if no answer comes."""
    try:
        query(sql)
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        return False
    return True


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, or of dbt's own message if it has one."""
    return str(getattr(error, "msg", error)).strip().splitlines()[0]
