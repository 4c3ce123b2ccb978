"""A small refresh runs without adaptive execution and in few partitions, a big one as ever."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.refresh.cost import Work
from dbt.adapters.ivm_spark.refresh.tuning import ADAPTIVE, PARTITIONS, tuned

SMALL = Work(rows=10_000_000, changed=1_000, met=0)


def test_a_small_refresh() -> None:
    assert tuned(SMALL, 5_000, {}) == {ADAPTIVE: "false", PARTITIONS: "1"}


def test_what_the_session_has_already_is_not_set() -> None:
    assert tuned(SMALL, 5_000, {ADAPTIVE: "false", PARTITIONS: "1"}) == {}


@pytest.mark.parametrize(
    ("work", "state_rows"),
    [(Work(10_000_000, 200_000, 0), 5_000), (SMALL, 5_000_000), (SMALL, 0)],
)
def test_a_refresh_that_is_not_known_to_be_small(work: Work, state_rows: int) -> None:
    assert tuned(work, state_rows, {}) == {}


@pytest.mark.parametrize(
    ("met", "given", "partitions"),
    [(2_000_000, {}, "9"), (2_000_000, {PARTITIONS: "4"}, None), (500_000, {PARTITIONS: "4"}, "3")],
)
def test_the_rows_that_a_change_meets_have_their_partitions(
    met: int, given: dict[str, str], partitions: str | None
) -> None:
    """As many as they need, and never more than the user's."""
    assert tuned(Work(10_000_000, 1_000, met), 5_000, given).get(PARTITIONS) == partitions
