"""Whether an error is Spark's own word on a statement."""

from __future__ import annotations

import re

from dbt_common.exceptions import DbtDatabaseError

# [TABLE_OR_VIEW_NOT_FOUND], [DELTA_CHANGE_DATA_FEED_...], [CAST_INVALID_INPUT.WITH_SUGGESTION]
CONDITION = re.compile(r"\[[A-Z][A-Z0-9_]*(\.[A-Z0-9_]+)*\]")


def says_condition(error: DbtDatabaseError) -> bool:
    """True for an error with an error condition (Spark's documentation, "Error Conditions"), as
    [TABLE_OR_VIEW_NOT_FOUND]; one that says that no answer came has none."""
    return CONDITION.search(str(error.msg)) is not None
