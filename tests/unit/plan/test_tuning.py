"""A small refresh runs without adaptive execution and in few partitions; a big one does not."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.physical.key_ranges import (
    NAMED,
)
from dbt.adapters.ivm_spark.plan.tuning import (
    ADAPTIVE,
    COUNTERS,
    PARTITIONS,
    PUSHED_KEYS,
    RUNTIME_FILTER_SIZE,
    RUNTIME_FILTERS,
    SKIPPING,
    SMALL_REBUILD,
    STORED_PLANS,
    UNFILTERED_ROWS,
    rebuilt,
    tuned,
    written,
)
from dbt.adapters.ivm_spark.watermark.cost_model import Work

SMALL = Work(rows=10_000_000, changed=1_000)
SMALL_SETTINGS = {ADAPTIVE: "false", COUNTERS: "false", PARTITIONS: "1"}


def test_a_small_refresh_runs_in_one_partition_without_adaptive_execution() -> None:
    assert tuned(SMALL, 5_000, False, False, {}) == SMALL_SETTINGS


def test_what_the_session_has_already_is_not_set() -> None:
    given = {**SMALL_SETTINGS, STORED_PLANS: "true"}
    assert tuned(SMALL, 5_000, True, True, given | {PUSHED_KEYS: str(NAMED)}) == {}
    assert tuned(SMALL, 5_000, True, True, given | {PUSHED_KEYS: str(2 * NAMED)}) == {}
    assert tuned(SMALL, 5_000, True, True, given) == {PUSHED_KEYS: str(NAMED)}
    assert tuned(SMALL, 5_000, True, False, given) == {}


@pytest.mark.parametrize(
    ("work", "state_rows"),
    [
        (Work(10_000_000, 300_000, 0), 5_000),
        (Work(10_000_000, 1_000, touched=300_000), 5_000),
        (SMALL, 5_000_000),
        (SMALL, 0),
    ],
)
def test_a_refresh_that_is_not_known_to_be_small(work: Work, state_rows: int) -> None:
    assert tuned(work, state_rows, False, False, {}) == {}


def test_materialized_relations_are_analyzed_once_at_any_size() -> None:
    assert tuned(SMALL, 5_000_000, True, False, {}) == {STORED_PLANS: "true"}


@pytest.mark.parametrize(
    ("changed", "met", "given", "partitions"),
    [
        (1_000, 64_000_000, {}, "9"),
        (1_000, 64_000_000, {PARTITIONS: "4"}, None),
        (1_000, 16_000_000, {PARTITIONS: "4"}, "3"),
        (250_000, 8_000_000, {}, "3"),
    ],
)
def test_partitions_grow_with_the_rows_that_a_change_joins(
    changed: int, met: int, given: dict[str, str], partitions: str | None
) -> None:
    """They get as many as they need, besides those of the change and the state (more than half a
    million rows in the last case), and never more than the user's setting."""
    work = Work(100_000_000, changed, least=met)
    assert tuned(work, 500_000, False, False, given).get(PARTITIONS) == partitions


def test_runtime_filters_are_off_if_none_pays() -> None:
    assert written(UNFILTERED_ROWS, 2, {}) == {RUNTIME_FILTERS: "false"}
    assert written(UNFILTERED_ROWS, 1, {}) == {}, "without a join there is none"
    assert written(UNFILTERED_ROWS + 1, 2, {}) == {}
    assert written(10, 2, {RUNTIME_FILTERS: "false"}) == {}
    assert written(10, 2, {RUNTIME_FILTER_SIZE: "1MB"}) == {}, "the user says when they pay"


@pytest.mark.parametrize(
    ("rows", "sources", "vectors", "given", "off"),
    [
        (1_000, 1, False, {}, True),
        (SMALL_REBUILD + 1, 1, False, {}, False),
        (0, 1, False, {}, False),
        (1_000, 2, False, {}, False),
        (1_000, 1, True, {}, False),
        (1_000, 1, False, {SKIPPING: "true"}, False),
    ],
    ids=["small", "large", "unknown", "a join asks for sizes", "vectors", "the user's own"],
)
def test_a_small_rebuild_of_one_source_reads_all_files(
    rows: int, sources: int, vectors: bool, given: dict[str, str], off: bool
) -> None:
    assert (rebuilt(rows, sources, vectors, given).get(SKIPPING) == "false") is off
