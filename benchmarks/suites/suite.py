"""What a suite is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.results import Cell

Cells = Sequence[Cell]


@dataclass(frozen=True)
class Suite:
    """measure yields the cells so far, each time there are more, so that a benchmark that is ended
    leaves what it has; summary sums them up; defaults are fields of Options."""

    name: str
    says: str
    measure: Callable[[Options, Steps], Iterator[Cells]]
    summary: Callable[[Cells], Mapping[str, Any]]
    defaults: Mapping[str, Any] = field(default_factory=dict)
