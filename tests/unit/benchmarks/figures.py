"""Results as a benchmark leaves them, made up."""

from __future__ import annotations

from typing import Any

from benchmarks.cost import Cost, Run, Statement
from benchmarks.results import Cell, Result, cell

CONDITIONS = {
    "cores": 2,
    "heap_bytes": 4 * 2**30,
    "load": 0.1,
    "java": "17",
    "python": "3.11",
    "versions": {"pyspark": "4.1.1"},
    "commit": "abc",
}
MEMORY = {"python_peak_bytes": 2**28}


def run(seconds: float, kind: str | None = None, **figures: Any) -> Run:
    sent = (Statement("merge", seconds / 2, "merge into t"),)
    said = {} if kind is None else {"refresh_kind": kind, "technique": "row_based"}
    return Run(Cost(seconds=seconds, sent=sent, **figures), said)


def made(model: str, fraction: float = 0.001, kind: str = "incremental", **seconds: float) -> Cell:
    """A cell with one round of each rival that is named with its seconds."""
    kinds = {"auto": kind, "incremental": "incremental", "full": "full"}
    runs = {name: [run(spent, kinds.get(name), jobs=3)] for name, spent in seconds.items()}
    return cell(model, fraction, runs)


def result(suite: str, cells: list[Cell], summary: Any, scale: float = 1) -> Result:
    return Result(suite, scale, CONDITIONS, cells, summary(cells), MEMORY)
