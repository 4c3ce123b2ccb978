"""Python collects garbage rarely while dbt runs."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session.garbage import collect_rarely

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def usual(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    monkeypatch.setattr("atexit.register", lambda _: None)
    yield
    gc.set_threshold(*before)


def test_garbage_is_collected_rarely() -> None:
    collect_rarely()
    assert gc.get_threshold()[0] > USUAL[0]


@pytest.mark.parametrize("own", [(0, 0, 0), (500_000, 5, 5)])
def test_a_threshold_that_the_program_has_set_stays(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    collect_rarely()
    assert gc.get_threshold() == own


def test_the_adapter_collects_rarely_and_keeps_its_objects_at_the_end() -> None:
    script = (
        "import atexit, gc\n"
        "said = lambda: print(gc.get_threshold()[0] > 10_000, gc.get_freeze_count() > 0)\n"
        "atexit.register(said)\n"
        "import dbt.adapters.ivm_spark\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.stdout.split() == ["True", "True"], ended.stderr
