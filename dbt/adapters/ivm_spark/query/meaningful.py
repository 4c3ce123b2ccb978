"""The session settings on which the rows of a query may depend."""

from __future__ import annotations

from collections.abc import Mapping

_SETTINGS = (
    "spark.sql.ansi.enabled",
    "spark.sql.caseSensitive",
    "spark.sql.session.timeZone",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.mapKeyDedupPolicy",
)


def meaningful(session: Mapping[str, str]) -> dict[str, str]:
    """Those of a session's settings that the fingerprint of a query has."""
    return {
        key: value
        for key, value in session.items()
        if key in _SETTINGS or key.startswith("spark.sql.legacy.")
    }
