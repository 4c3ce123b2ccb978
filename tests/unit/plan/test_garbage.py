"""Python collects garbage rarely while a query is planned, and as usual afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.plan.garbage import rare_collections
from tests.unit.plan.test_planner import Warehouse, planned

USUAL = (700, 10, 10)


@pytest.fixture
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("usual")
def test_overlapping_plans_restore_the_threshold_once() -> None:
    first, second = rare_collections(), rare_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] > USUAL[0], "another thread still plans"
    second.__exit__(None, None, None)
    assert gc.get_threshold() == USUAL


@pytest.mark.usefixtures("usual")
@pytest.mark.parametrize("own", [(0, 0, 0), (500_000, 5, 5)])
def test_what_the_program_has_set_for_itself_stays(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with rare_collections():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


@pytest.mark.usefixtures("usual")
def test_a_plan_collects_rarely() -> None:
    seen: list[int] = []

    class Watched(Warehouse):
        def __call__(self, sql: str) -> list[dict[str, object]]:
            seen.append(gc.get_threshold()[0])
            return super().__call__(sql)

    planned(Watched())
    assert min(seen) > USUAL[0]
    assert gc.get_threshold() == USUAL
