"""Whether an error is Spark's own word on a statement."""

from __future__ import annotations

import re

from dbt_common.exceptions import DbtDatabaseError

# [TABLE_OR_VIEW_NOT_FOUND], [DELTA_CHANGE_DATA_FEED_...], [CAST_INVALID_INPUT.WITH_SUGGESTION]
CONDITION = re.compile(r"\[[A-Z][A-Z0-9_]*(\.[A-Z0-9_]+)*\]")

_SQLSTATE = re.compile(r"SQLSTATE: (\w{5})")
_NOT_ANALYZED = ("0A", "21", "23K01", "42", "46", "54", "56", "XX")
_NOT_OURS = ("42501", "XXKDA")
"""Missing privileges, and a statement that somebody cancelled."""


def is_rejection(message: str) -> bool:
    """True for an error that says that Spark does not analyze or plan a statement.

    Source: Spark's documentation, "SQLSTATE codes": class 42 is a syntax error or a name that is
    not found, 0A a feature that is not supported, 21 several rows where one is asked for, XX an
    internal error.
    """
    found = _SQLSTATE.search(message)
    if found is None:
        return False
    state = found.group(1)
    return state.startswith(_NOT_ANALYZED) and state not in _NOT_OURS


def says_condition(error: DbtDatabaseError) -> bool:
    """True for an error with an error condition (Spark's documentation, "Error Conditions"), as
    [TABLE_OR_VIEW_NOT_FOUND]; one that says that no answer came has none."""
    return CONDITION.search(str(error.msg)) is not None


def first_line(error: Exception) -> str:
    """The first line of an error's message, of dbt's own message where it has one."""
    return str(getattr(error, "msg", error)).strip().splitlines()[0]
