"""A long refresh says what it is doing."""

from __future__ import annotations

import time

from dbt.adapters.ivm_spark.refresh.progress import Progress


def test_a_long_phase_says_so_again_and_again() -> None:
    said: list[tuple[str, float]] = []
    progress = Progress(lambda what, seconds: said.append((what, seconds)), after=0.05)
    with progress.phase("planning"):
        time.sleep(0.02)
    with progress.phase("writing"):
        time.sleep(0.3)
    before = len(said)
    time.sleep(0.1)
    assert len(said) == before >= 2
    assert {what for what, _ in said} == {"writing"}
    assert said[-1][1] > said[0][1] >= 0.05


def test_a_short_refresh_says_nothing() -> None:
    said: list[str] = []
    progress = Progress(lambda what, seconds: said.append(what))
    for _ in range(3):
        with progress.phase("planning"):
            pass
    assert not said
