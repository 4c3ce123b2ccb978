"""Session settings under which a refresh runs. Pure.

Adaptive execution makes a job of every shuffle, and a shuffle a task for each partition. On some
thousand rows both cost more than the rows; what is known of the change says so before it runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.physical.broadcast import BROADCAST_ROWS
from dbt.adapters.ivm_spark.physical.runtime_filters import NAMED
from dbt.adapters.ivm_spark.watermark.cost_model import Work

ADAPTIVE = "spark.sql.adaptive.enabled"
PARTITIONS = "spark.sql.shuffle.partitions"
STORED_PLANS = "spark.sql.legacy.storeAnalyzedPlanForView"
"""A temporary view is its text otherwise, which is analyzed anew wherever it is named, and with it
those that it names."""
PUSHED_KEYS = "spark.sql.parquet.pushdown.inFilterThreshold"
"""Values of an IN that the Parquet reader is told; of more it hears the least and the greatest."""
FEW_CHANGES = BROADCAST_ROWS // 2
"""Changed rows up to which what meets them is joined by broadcast anyhow, an update being two."""
SMALL_STATE = 1_000_000
"""Rows of a state up to which the MERGE's join needs no second thought at run time."""
PARTITION_ROWS = 1_000_000
"""Rows of the change and the state for a partition of a shuffle."""
MET_ROWS = 8_000_000
"""The same of rows that the change meets at the least: what is shuffled of them is what is left
where they have met, mostly a small part."""
RUNTIME_FILTERS = "spark.sql.optimizer.runtime.bloomFilter.enabled"
"""To see whether one pays Spark asks for each source's bytes while the statement around the query
is planned, where Delta does not know them yet: three jobs a source."""
RUNTIME_FILTER_SIZE = "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold"
SKIPPING = "spark.databricks.delta.stats.skipping"
"""To leave files out, Delta asks by a job for each scan which there are."""
SMALL_REBUILD = 500_000
"""Rows of all sources up to which a rebuild reads all files rather than ask."""
UNFILTERED_ROWS = 100_000_000
"""Rows of all sources up to which none pays: Spark makes one for a side of 10 GB and more."""
_PARTITIONS = 200


def tuned(
    work: Work, state_rows: int, keeps: bool, asks: bool, given: Mapping[str, str]
) -> dict[str, str]:
    """The settings to change for a refresh.

    Args:
        work: of the refresh.
        state_rows: rows of the state, 0 if that is not known.
        keeps: whether it keeps relations as temporary views.
        asks: whether it asks for the change's keys.
        given: the session's settings.
    """
    wanted = {STORED_PLANS: "true"} if keeps else {}
    if asks:
        wanted[PUSHED_KEYS] = str(max(NAMED, _number(given, PUSHED_KEYS, 0)))
    if work.changed <= FEW_CHANGES and 0 < state_rows <= SMALL_STATE:
        own = (2 * work.changed + state_rows) // PARTITION_ROWS
        partitions = min(1 + own + work.least // MET_ROWS, _number(given, PARTITIONS, _PARTITIONS))
        wanted |= {ADAPTIVE: "false", PARTITIONS: str(partitions)}
    return {key: value for key, value in wanted.items() if given.get(key) != value}


def rebuilt(rows: int, sources: int, given: Mapping[str, str]) -> dict[str, str]:
    """The settings to change for a rebuild.

    Args:
        rows: of all sources, 0 if that is not known.
        sources: how many there are.
        given: the session's settings.
    """
    wanted = written(rows, sources, given)
    if 0 < rows <= SMALL_REBUILD and SKIPPING not in given:
        wanted |= {SKIPPING: "false"}
    return wanted


def written(rows: int, sources: int, given: Mapping[str, str]) -> dict[str, str]:
    """The settings to change for a statement that writes the rows of a query, a rebuild or INSERT.

    rows: of all sources; sources: how many there are; given: the session's settings.
    """
    pays = rows > UNFILTERED_ROWS or RUNTIME_FILTER_SIZE in given
    if sources < 2 or pays or given.get(RUNTIME_FILTERS) == "false":
        return {}
    return {RUNTIME_FILTERS: "false"}


def _number(given: Mapping[str, str], key: str, default: int) -> int:
    said = given.get(key, "")
    return int(said) if said.isdigit() and int(said) else default
