"""The results of a benchmark as JSON: what was measured, where, and what it sums up to."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.cost import Cost, Run, medians, typical

Cell = dict[str, Any]
"""One thing that was measured; which keys it has depends on the suite."""


@dataclass(frozen=True)
class Result:
    """scale: TPC-H's, in layers the rows of the largest sources; cells: see `cell` and the suites;
    summary: see `summary`; finished: whether all of it was measured."""

    suite: str
    scale: float
    conditions: Mapping[str, Any]
    cells: Sequence[Cell]
    summary: Mapping[str, Any]
    memory: Mapping[str, int]
    finished: bool = True

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1, default=str) + "\n", encoding="utf-8")


def read(path: Path) -> Result:
    """A result that was written."""
    return Result(**json.loads(path.read_text(encoding="utf-8")))


def cell(
    model: str,
    fraction: float,
    runs: Mapping[str, Sequence[Run]],
    wrong: Sequence[str] | None = None,
) -> Cell:
    """The figures of one model at one changed fraction.

    runs: by rival, one a round; wrong: the rivals that keep something else than the query, where
    that was looked at. `ratio` is the time of `table` by that of `auto`, the median of the rounds;
    `predicted` is what the adapter's own estimates said of the last round, `actual` the seconds of
    both ways where both were measured.
    """
    rivals = {name: _figures(every) for name, every in runs.items() if every}
    auto = runs.get("auto") or ()
    said = auto[-1].said if auto else {}
    return {
        "model": model,
        "fraction": fraction,
        "changed_rows": {
            name: source["changed_rows"] for name, source in said.get("sources", {}).items()
        },
        "ratio": ratio(runs.get("table", ()), auto),
        "predicted": said.get("estimated_seconds"),
        "actual": {way: rivals[way]["seconds"] for way in ("incremental", "full") if way in rivals},
        "right": None if wrong is None else not wrong,
        "wrong": list(wrong or ()),
        "rivals": rivals,
    }


def ratio(slow: Sequence[Run], fast: Sequence[Run]) -> float | None:
    """How many times as fast as one rival another is: the median over the rounds, in each of which
    both ran one after the other. None if one of them did not."""
    ratios = [a.cost.seconds / b.cost.seconds for a, b in zip(slow, fast, strict=False)]
    return statistics.median(ratios) if ratios else None


def _figures(runs: Sequence[Run]) -> dict[str, Any]:
    """The medians of a rival's runs, what it did, and what its typical run was made of."""
    costs = [run.cost for run in runs]
    said = runs[-1].said
    return {
        **medians(costs),
        "runs": [cost.seconds for cost in costs],
        "kind": said.get("refresh_kind"),
        "technique": said.get("technique"),
        "reason": (said.get("reason") or {}).get("code"),
        "message": said.get("_message"),
        **_inside(typical(costs)),
    }


def _inside(cost: Cost) -> dict[str, Any]:
    return {"breakdown": cost.breakdown, "sent": [asdict(statement) for statement in cost.sent]}
