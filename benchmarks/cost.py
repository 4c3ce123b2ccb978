"""What a stretch of work cost, and the sums and medians of such costs. Pure."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

SHORT = 160
"""Characters of a statement that are kept."""

_COMMENT = re.compile(r"^\s*(/\*.*?\*/\s*)+", re.DOTALL)
_KINDS = (
    ("settings", ("set ", "reset ")),
    ("history", ("describe history",)),
    ("metadata", ("describe", "show ", "explain", "use ")),
    ("keep", ("cache table", "create temporary view", "create or replace temporary view")),
    ("merge", ("merge ",)),
    ("insert", ("insert ",)),
    ("delete", ("delete ", "update ")),
    ("create", ("create ", "drop ", "uncache ", "alter ", "optimize ")),
    ("query", ("select", "with", "(")),
)
KINDS = (*(kind for kind, _ in _KINDS), "other")
"""The kinds of statements. `keep`: a temporary relation; `history`: reading a table's log."""


@dataclass(frozen=True)
class Statement:
    """One statement that was sent: its kind, the seconds until its rows were there, its start."""

    kind: str
    seconds: float
    text: str

    @classmethod
    def of(cls, sql: str, seconds: float) -> Statement:
        return cls(kind_of(sql), seconds, " ".join(_COMMENT.sub("", sql).split())[:SHORT])


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock; seconds of a core that the JVM took; statements sent, without the
    settings; Spark jobs, Delta's own included; rows and bytes that the stages read from files and
    wrote to them, and bytes that they shuffled; data files that the commits added and removed."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    statements: int = 0
    settings: int = 0
    jobs: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    rows_written: int = 0
    bytes_written: int = 0
    bytes_shuffled: int = 0
    files_added: int = 0
    files_removed: int = 0
    sent: tuple[Statement, ...] = ()

    @property
    def breakdown(self) -> dict[str, float]:
        """Seconds by kind of statement; `python` is what no statement took."""
        spent = dict.fromkeys(KINDS, 0.0)
        for statement in self.sent:
            spent[statement.kind] += statement.seconds
        spent["python"] = max(0.0, self.seconds - sum(spent.values()))
        return {kind: seconds for kind, seconds in spent.items() if seconds > 0}


@dataclass(frozen=True)
class Run:
    """One refresh: what it cost, and what the adapter said of its last node ({} where it was not
    dbt's)."""

    cost: Cost
    said: Mapping[str, Any] = field(default_factory=dict)


FIGURES = tuple(f.name for f in fields(Cost) if f.name != "sent")


def kind_of(sql: str) -> str:
    """The kind of a statement, one of KINDS; comments in front of it don't count."""
    text = _COMMENT.sub("", sql).lstrip().lower()
    return next((kind for kind, starts in _KINDS if text.startswith(starts)), "other")


def added(costs: Iterable[Cost]) -> Cost:
    """One cost for several stretches of work, one after the other."""
    every = list(costs)
    sums = {name: sum(getattr(cost, name) for cost in every) for name in FIGURES}
    return Cost(**sums, sent=tuple(statement for cost in every for statement in cost.sent))


def medians(costs: Sequence[Cost]) -> dict[str, float]:
    """The median of each figure."""
    return {name: statistics.median(getattr(cost, name) for cost in costs) for name in FIGURES}


def typical(costs: Sequence[Cost]) -> Cost:
    """The cost whose seconds are the median; of two, the lower."""
    return sorted(costs, key=lambda cost: cost.seconds)[(len(costs) - 1) // 2]


def files_of(metrics: Iterable[dict[str, str]]) -> tuple[int, int]:
    """Data files added and removed by commits, from their operation metrics in Delta's history."""
    gained = ("numFiles", "numAddedFiles", "numTargetFilesAdded")
    lost = ("numRemovedFiles", "numTargetFilesRemoved")
    every = list(metrics)
    return (
        sum(int(commit.get(name, 0)) for commit in every for name in gained),
        sum(int(commit.get(name, 0)) for commit in every for name in lost),
    )
