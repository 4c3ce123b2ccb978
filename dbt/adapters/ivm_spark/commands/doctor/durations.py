"""How long Delta keeps the files and the log of changes, and since when a table has a feed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dbt.adapters.ivm_spark.source.commit import FEED, Commit

FILES_KEPT = "delta.deletedFileRetentionDuration"
LOG_KEPT = "delta.logRetentionDuration"
_DEFAULTS = {FILES_KEPT: 7 * 86400.0, LOG_KEPT: 30 * 86400.0}
"""Source: Delta's documentation, "Table properties reference"."""
_UNITS = {
    "microsecond": 1e-6,
    "millisecond": 1e-3,
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 7 * 86400.0,
}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s+(" + "|".join(_UNITS) + r")s?\b", re.IGNORECASE)


def kept(properties: Mapping[str, str], name: str) -> float:
    """Return the seconds in a table's property, or Delta's default if it has no such property.

    name: FILES_KEPT or LOG_KEPT. Its value is text: an interval of weeks to microseconds.
    """
    parts = _PART.findall(properties.get(name, ""))
    if not parts:
        return _DEFAULTS[name]
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in parts)


def feed_since(commits: Sequence[Commit]) -> tuple[int, int]:
    """Return version and time of the commit since which a table's feed is on.

    That is the commit that last switched it on. If the log no longer has that commit, it is the
    oldest one in the log.

    commits: of a table whose feed is on.
    """
    ordered = sorted(commits, key=lambda c: c.version)
    found = ordered[0]
    on = True
    for commit in ordered:
        said = commit.sets(FEED)
        after = bool(said) if said is not None or commit.replaces else on
        if after and not on:
            found = commit
        on = after
    return found.version, int(found.committed) if found.committed.isdigit() else 0
