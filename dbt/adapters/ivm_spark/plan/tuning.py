"""Session settings under which a refresh runs. Pure.

Adaptive execution runs a job for every shuffle, and a shuffle runs a task for each partition. For
some thousand rows, both cost more than the rows. The facts about the change show this before the
refresh runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.physical.broadcast import BROADCAST_ROWS
from dbt.adapters.ivm_spark.physical.file_pruning import SKIPPING
from dbt.adapters.ivm_spark.physical.key_ranges import (
    NAMED,
)
from dbt.adapters.ivm_spark.watermark.cost_model import Work

ADAPTIVE = "spark.sql.adaptive.enabled"
PARTITIONS = "spark.sql.shuffle.partitions"
STORED_PLANS = "spark.sql.legacy.storeAnalyzedPlanForView"
"""Stores a temporary view as a plan. Otherwise Spark stores its text, and analyzes it again
wherever the view is named, together with the views that it names."""
PUSHED_KEYS = "spark.sql.parquet.pushdown.inFilterThreshold"
"""The number of values of an IN that Spark passes to the Parquet reader. If there are more, it
passes only the least and the greatest."""
COUNTERS = "spark.databricks.delta.optimize.conditionalIncrementMetric.enabled"
"""Lets Delta simplify the counters of its own commands. It looks for them in all expressions of
every query, several times."""
FEW_CHANGES = BROADCAST_ROWS // 2
"""Changed rows up to which their joins are broadcast joins anyhow; an update counts as two."""
SMALL_STATE = 1_000_000
"""Rows of a state up to which the MERGE's join needs no adaptive execution."""
PARTITION_ROWS = 1_000_000
"""Rows of the change and the state for each partition of a shuffle."""
MET_ROWS = 8_000_000
"""The same for rows that the change joins at least. A shuffle has only the rows that remain after
the join, mostly a small part."""
RUNTIME_FILTERS = "spark.sql.optimizer.runtime.bloomFilter.enabled"
"""Turns on Spark's runtime filters. To see whether one pays, Spark asks for each source's bytes
while it plans the statement around the query. If Delta does not know them yet, that takes three
jobs a source."""
RUNTIME_FILTER_SIZE = "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold"
SMALL_REBUILD = 500_000
"""Rows of all sources up to which a rebuild reads all files, without asking which it can skip."""
UNFILTERED_ROWS = 100_000_000
"""Rows of all sources up to which no runtime filter pays: Spark makes one for a side of 10 GB and
more."""
_PARTITIONS = 200


def tuned(
    work: Work, state_rows: int, keeps: bool, asks: bool, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the settings to change for a refresh.

    Args:
        work: the work of the refresh.
        state_rows: rows of the state, 0 if that is not known.
        keeps: whether it materializes relations as temporary views.
        asks: whether it asks for the change's keys.
        given: the session's settings.
    """
    wanted = {STORED_PLANS: "true"} if keeps else {}
    if asks:
        wanted[PUSHED_KEYS] = str(max(NAMED, _number(given, PUSHED_KEYS, 0)))
    changed = work.changed + min(work.touched, work.rows)
    if changed <= FEW_CHANGES and 0 < state_rows <= SMALL_STATE:
        own = (2 * changed + state_rows) // PARTITION_ROWS
        partitions = min(1 + own + work.least // MET_ROWS, _number(given, PARTITIONS, _PARTITIONS))
        wanted |= {ADAPTIVE: "false", COUNTERS: "false", PARTITIONS: str(partitions)}
    return {key: value for key, value in wanted.items() if given.get(key) != value}


def rebuilt(rows: int, sources: int, vectors: bool, given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings to change for a rebuild.

    Args:
        rows: rows of all sources, 0 if that is not known.
        sources: the number of sources.
        vectors: a table that the rebuild reads may have deletion vectors. Without skipping, Delta
            can't read it.
        given: the session's settings.
    """
    wanted = written(rows, sources, given)
    small = 0 < rows <= SMALL_REBUILD
    if sources == 1 and small and not vectors and SKIPPING not in given:
        # Spark asks for the sizes of several sources to choose a join. Without skipping, Delta
        # computes a snapshot of each, in three jobs.
        wanted |= {SKIPPING: "false"}
    return wanted


def written(rows: int, sources: int, given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings to change for a rebuild or an INSERT, which write a query's rows.

    Args:
        rows: rows of all sources.
        sources: the number of sources.
        given: the session's settings.
    """
    pays = rows > UNFILTERED_ROWS or RUNTIME_FILTER_SIZE in given
    if sources < 2 or pays or given.get(RUNTIME_FILTERS) == "false":
        return {}
    return {RUNTIME_FILTERS: "false"}


def _number(given: Mapping[str, str], key: str, default: int) -> int:
    said = given.get(key, "")
    return int(said) if said.isdigit() and int(said) else default
