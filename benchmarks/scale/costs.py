"""Seconds of a refresh from what it counts: fitted to measured refreshes. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.results import Result

DRIVER = ("refreshes", "jobs")
EXECUTORS = ("rows_read", "rows_written", "bytes_shuffled")
"""What cores share; the rest is one thread's."""
COUNTS = (*DRIVER, *EXECUTORS)
Counts = Mapping[str, float]
"""By name of COUNTS: `refreshes` is 1."""


@dataclass(frozen=True)
class Point:
    """One measured refresh. scale: TPC-H's; changed: the fraction of the orders."""

    model: str
    scale: float
    changed: float
    cores: int
    counts: Counts
    seconds: float


@dataclass(frozen=True)
class Costs:
    """Seconds by name of COUNTS; of EXECUTORS seconds of one core."""

    each: Mapping[str, float]

    def terms(self, counts: Counts, cores: float) -> dict[str, float]:
        """The seconds of each count, on so many cores."""
        shared = {name: cores if name in EXECUTORS else 1 for name in COUNTS}
        return {name: self.each[name] * counts[name] / shared[name] for name in COUNTS}

    def seconds(self, counts: Counts, cores: float) -> float:
        return sum(self.terms(counts, cores).values())


def points(results: Sequence[Result]) -> list[Point]:
    """The incremental refreshes of results."""
    found = []
    for result in results:
        for cell in result.cells:
            figures = cell["rivals"].get("incremental")
            if figures is None or figures["kind"] != "incremental":
                continue
            counts = {name: float(figures.get(name, 1)) for name in COUNTS}
            found.append(
                Point(
                    cell["model"],
                    result.scale,
                    cell["fraction"],
                    result.conditions["cores"],
                    counts,
                    figures["seconds"],
                )
            )
    return found


def fit(measured: Sequence[Point]) -> Costs:
    """The costs, none below zero, that leave the least sum of squared relative errors."""
    rows = np.array(
        [
            [p.counts[name] / (p.cores if name in EXECUTORS else 1) / p.seconds for name in COUNTS]
            for p in measured
        ]
    )
    kept = list(range(len(COUNTS)))
    while True:
        found, *_ = np.linalg.lstsq(rows[:, kept], np.ones(len(measured)), rcond=None)
        if (found >= 0).all():
            break
        kept.remove(kept[int(found.argmin())])
    costs = dict(zip((COUNTS[place] for place in kept), found.tolist(), strict=True))
    return Costs({name: costs.get(name, 0.0) for name in COUNTS})


def grown(smaller: Point, larger: Point, scale: float) -> dict[str, float]:
    """The counts of the same refresh at a third scale, each as it grew between two others, and not
    faster than the data."""
    times = math.log(scale / larger.scale) / math.log(larger.scale / smaller.scale)
    counts = {}
    for name in COUNTS:
        low, high = smaller.counts[name], larger.counts[name]
        growth = max(1.0, high / low) if low else larger.scale / smaller.scale
        counts[name] = high * min(growth**times, scale / larger.scale)
    return counts
