"""What the refreshes of a run came to, for the end of its console. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.plan import RefreshKind

_WORDS = {
    RefreshKind.INCREMENTAL: "incremental",
    RefreshKind.NONE: "unchanged",
    RefreshKind.FULL: "full",
    RefreshKind.INITIAL: "built for the first time",
}
_NAMED = 3
"""Models that a line names."""
_ASKED_FOR = (ReasonCode.FULL_REFRESH_REQUESTED, ReasonCode.COST_MODEL)
"""Reasons that need no remedy."""


@dataclass(frozen=True)
class Refreshed:
    """A refresh as the summary counts it.

    Attributes:
        model: its name.
        kind: of the refresh.
        reason: why it was full.
        seconds: that it took, with its planning.
        rebuild: seconds of the last recorded rebuild, 0 without one.
    """

    model: str
    kind: RefreshKind
    reason: Reason | None
    seconds: float
    rebuild: float

    @property
    def saved(self) -> float:
        """Return the seconds less than the last rebuild, negative if they were more."""
        counts = self.rebuild and self.kind in (RefreshKind.INCREMENTAL, RefreshKind.NONE)
        return self.rebuild - self.seconds if counts else 0.0


def summary(refreshes: Sequence[Refreshed]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the lines of a summary: templates with `{}`, and what to put in.

    The first one counts kinds, and the seconds that the run took less than rebuilds. Each later one
    has a reason for full refreshes, their models and what a person can do.
    """
    if not refreshes:
        return
    counts = Counter(one.kind for one in refreshes)
    kinds = [(str(counts[kind]), word) for kind, word in _WORDS.items() if counts[kind]]
    template = ", ".join("{} " + word for _, word in kinds)
    values = tuple(count for count, _ in kinds)
    saved = sum(one.saved for one in refreshes)
    if saved >= 1:
        template, values = template + "; {} s less than rebuilds", (*values, f"{saved:,.0f}")
    yield template, values
    by_reason: dict[ReasonCode, list[Refreshed]] = defaultdict(list)
    for one in refreshes:
        if one.kind is RefreshKind.FULL and one.reason is not None:
            by_reason[one.reason.code].append(one)
    for code, full in by_reason.items():
        names = ", ".join(one.model for one in full[:_NAMED])
        more = f" and {len(full) - _NAMED} more" if len(full) > _NAMED else ""
        said = code.sentence if code in _ASKED_FOR else code.remedy
        yield "full by {}: {}{}. {}", (code.value, names, more, said)
