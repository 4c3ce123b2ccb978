"""What a suite is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.results import Cell

Cells = Sequence[Cell]


@dataclass(frozen=True)
class Suite:
    """measure yields the cells so far, each time there are more, so that a benchmark that is ended
    leaves what it has; summary sums them up; defaults are fields of Options; sized_by is the field
    that says how large its data is, `scale` or `rows`; models and rivals are those that can be
    named, all where there are none."""

    name: str
    says: str
    measure: Callable[[Options, Steps], Iterator[Cells]]
    summary: Callable[[Cells], Mapping[str, Any]]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    sized_by: str = "scale"
    models: Collection[str] = ()
    rivals: Collection[str] = ()
