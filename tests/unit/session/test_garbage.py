"""Python collects garbage rarely while dbt runs."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Callable, Iterator

import pytest

from dbt.adapters.ivm_spark.session.garbage import collect_as_before, collect_rarely

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def at_exit(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], None]]]:
    """What is to be called at the end of the process."""
    called: list[Callable[[], None]] = []
    monkeypatch.setattr(atexit, "register", called.append)
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield called
    collect_as_before()
    gc.set_threshold(*before)


def test_garbage_is_collected_rarely_until_the_run_ends() -> None:
    collect_rarely()
    collect_rarely()
    assert gc.get_threshold()[0] > USUAL[0]
    collect_as_before()
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("own", [(0, 0, 0), (500_000, 5, 5)])
def test_a_threshold_that_the_program_has_set_stays(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    collect_rarely()
    assert gc.get_threshold() == own
    collect_as_before()
    assert gc.get_threshold() == own


@pytest.mark.parametrize(("program", "calls"), [("/bin/dbt", 1), ("/bin/airflow", 0)])
def test_only_dbt_itself_leaves_its_objects_to_the_system(
    program: str,
    calls: int,
    at_exit: list[Callable[[], None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frozen: list[bool] = []
    monkeypatch.setattr(sys, "argv", [program, "run"])
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    monkeypatch.delitem(sys.modules, "_duckdb", raising=False)
    collect_rarely()
    for ended in at_exit:
        ended()
    assert len(frozen) == calls
