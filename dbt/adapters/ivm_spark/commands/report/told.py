"""What the page tells of one ivm model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.commands.doctor.facts import ModelFacts
from dbt.adapters.ivm_spark.commands.explain.record import Record
from dbt.adapters.ivm_spark.plan.plan import RefreshKind


@dataclass(frozen=True)
class Told:
    """A model: its facts as the doctor has them, its state's quoted name, and its refreshes as far
    as the state remembers them, oldest first."""

    facts: ModelFacts
    state: str
    records: tuple[Record, ...]

    @property
    def lag(self) -> float | None:
        """Seconds since the oldest change that the model does not show yet, 0 where it shows all;
        None where it is not built."""
        if self.facts.state is None:
            return None
        unread = [s.unread_since for s in self.facts.sources if s.unread_since is not None]
        return (self.facts.now - min(unread)) / 1000 if unread else 0.0

    @property
    def technique(self) -> str:
        """How it is kept: the technique of its newest refresh that was not full, if there is one;
        else of its next."""
        for record in reversed(self.records):
            if record.kind == RefreshKind.INCREMENTAL.value:
                return record.technique
        planned = self.facts.kind == RefreshKind.INCREMENTAL.value
        return (
            self.facts.technique if planned else ("full" if self.facts.unsupported_reason else "")
        )

    @property
    def rebuilt(self) -> tuple[Record, ...]:
        """Its full refreshes that were not the first."""
        return tuple(r for r in self.records if r.kind == RefreshKind.FULL.value)

    def seconds(self, kind: RefreshKind) -> float | None:
        """The median of what its refreshes of a kind took, None without any."""
        found = [r.seconds for r in self.records if r.kind == kind.value]
        return median(found) if found else None


def reads(models: Sequence[Told]) -> dict[str, list[str]]:
    """For each model (name of its view) what it reads: other models by their view, and tables."""
    views = {relation_key(told.state): told.facts.view for told in models}
    return {
        told.facts.view: [
            views.get(relation_key(source.name), source.name) for source in told.facts.sources
        ]
        for told in models
    }
