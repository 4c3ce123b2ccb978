"""How long Delta keeps what changes are read from, and for how long a table has had a feed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dbt.adapters.ivm_spark.source.commit import Commit

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
    """The seconds that a table's property says, Delta's default where it says nothing.

    name: FILES_KEPT or LOG_KEPT; its value is an interval of weeks to microseconds as text.
    """
    parts = _PART.findall(properties.get(name, ""))
    if not parts:
        return _DEFAULTS[name]
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in parts)


def feed_since(commits: Sequence[Commit]) -> tuple[int, int]:
    """Version and time of the commit that switched a table's feed on for good, or of the oldest one
    that the log still has; for a table whose feed is on."""
    ordered = sorted(commits, key=lambda c: c.version)
    found = ordered[0]
    on = True
    for commit in ordered:
        said = commit.feed_set_to()
        after = bool(said) if said is not None or commit.replaces else on
        if after and not on:
            found = commit
        on = after
    return found.version, int(found.committed) if found.committed.isdigit() else 0
