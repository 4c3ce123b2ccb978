"""Session settings under which a small refresh runs. Pure.

Adaptive execution makes a job of every shuffle, and a shuffle a task for each partition. On a few
thousand rows both cost more than the rows; what is known of the change says so before it runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.refresh.cost import Work

ADAPTIVE = "spark.sql.adaptive.enabled"
PARTITIONS = "spark.sql.shuffle.partitions"
FEW_CHANGES = 100_000
"""Changed rows up to which what meets them is joined by broadcast anyhow (physical/few.py)."""
SMALL_STATE = 1_000_000
"""Rows of a state up to which the MERGE's join needs no second thought at run time."""
PARTITION_ROWS = 250_000
_DEFAULT_PARTITIONS = 200


def tuned(work: Work, state_rows: int, given: Mapping[str, str]) -> dict[str, str]:
    """The settings to change for a refresh; none where it is not small.

    Args:
        work: of the refresh.
        state_rows: rows of the state, 0 if that is not known.
        given: the session's settings.
    """
    if work.changed > FEW_CHANGES or not 0 < state_rows <= SMALL_STATE:
        return {}
    rows = 2 * work.changed + work.met + state_rows
    partitions = min(1 + rows // PARTITION_ROWS, _partitions(given))
    wanted = {ADAPTIVE: "false", PARTITIONS: str(partitions)}
    return {key: value for key, value in wanted.items() if given.get(key) != value}


def _partitions(given: Mapping[str, str]) -> int:
    said = given.get(PARTITIONS, "")
    return int(said) if said.isdigit() and int(said) else _DEFAULT_PARTITIONS
