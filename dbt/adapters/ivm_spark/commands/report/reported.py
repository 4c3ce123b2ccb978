"""The facts that the page shows of one ivm model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.commands.doctor.facts import ModelFacts
from dbt.adapters.ivm_spark.commands.explain.record import Record
from dbt.adapters.ivm_spark.plan.plan import RefreshKind

_FACTOR, _NOTICED = 2.0, 0.5
"""A wrong estimate is off by more than this factor, and by more than these seconds."""


@dataclass(frozen=True)
class Saved:
    """What incremental refreshes saved against rebuilds.

    Attributes:
        seconds: less time than the rebuilds would have taken; negative if they took more.
        rows: rows of the sources that had not changed, which a rebuild would have read.
    """

    seconds: float
    rows: int


@dataclass(frozen=True)
class ReportedModel:
    """A model on the page.

    Attributes:
        facts: the doctor's facts about it.
        state: quoted name of its state.
        records: its refreshes as far as the state remembers them, oldest first.
    """

    facts: ModelFacts
    state: str
    records: tuple[Record, ...]

    @property
    def lag(self) -> float | None:
        """Return the seconds since the oldest change that the model does not show yet.

        0 if it shows all changes, None if it is not built.
        """
        if self.facts.state is None:
            return None
        unread = [s.unread_since for s in self.facts.sources if s.unread_since is not None]
        return (self.facts.now - min(unread)) / 1000 if unread else 0.0

    @property
    def technique(self) -> str:
        """Return the technique of its newest incremental refresh, else that of its next refresh."""
        for record in reversed(self.records):
            if record.kind == RefreshKind.INCREMENTAL.value:
                return record.technique
        planned = self.facts.kind == RefreshKind.INCREMENTAL.value
        return (
            self.facts.technique if planned else ("full" if self.facts.unsupported_reason else "")
        )

    @property
    def rebuilt(self) -> tuple[Record, ...]:
        """Return its full refreshes that were not the first."""
        return tuple(r for r in self.records if r.kind == RefreshKind.FULL.value)

    def seconds(self, kind: RefreshKind) -> float | None:
        """Return the median time of its refreshes of a kind, None without any."""
        found = [r.seconds for r in self.records if r.kind == kind.value]
        return median(found) if found else None

    @property
    def saved(self) -> Saved:
        """Return what its incremental refreshes saved against rebuilds.

        A refresh is compared with the newest rebuild before it.
        """
        seconds, rows, rebuild = 0.0, 0, None
        for record in self.records:
            if record.kind != RefreshKind.INCREMENTAL.value:
                rebuild = record.seconds
                continue
            seconds += 0.0 if rebuild is None else rebuild - record.seconds
            if record.source_rows is not None and record.changed_rows is not None:
                rows += max(0, record.source_rows - record.changed_rows)
        return Saved(seconds, rows)

    @property
    def estimated(self) -> list[tuple[float, float]]:
        """Return the estimated and the actual seconds of each refresh that has an estimate."""
        found = []
        for record in self.records:
            full = record.kind == RefreshKind.FULL.value
            estimate = record.estimated_full if full else record.estimated_incremental
            if estimate is not None and record.kind != RefreshKind.INITIAL.value:
                found.append((estimate, record.seconds))
        return found

    @property
    def misjudged(self) -> list[tuple[float, float]]:
        """Return those of `estimated` that were wrong.

        They are off by a factor of two, and by more than half a second.
        """
        return [
            (estimate, actual)
            for estimate, actual in self.estimated
            if abs(actual - estimate) > _NOTICED
            and not estimate / _FACTOR <= actual <= estimate * _FACTOR
        ]


def reads(models: Sequence[ReportedModel]) -> dict[str, list[str]]:
    """Return what each model (name of its view) reads: other models by their view, and tables."""
    views = {relation_key(model.state): model.facts.view for model in models}
    return {
        model.facts.view: [
            views.get(relation_key(source.name), source.name) for source in model.facts.sources
        ]
        for model in models
    }
