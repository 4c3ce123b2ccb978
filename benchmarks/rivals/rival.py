"""What every rival has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from benchmarks.cost import Run
from benchmarks.lab import SCHEMA, Lab
from benchmarks.models import Model

Windows = Mapping[str, tuple[int, int]]
"""For each table of TPC-H the versions before and after the changes of a round."""


class Rival(ABC):
    """A way to bring a model up to date. Rivals run before floors, which need what they left."""

    name: str
    floor = False

    def fits(self, model: Model) -> bool:
        """Whether it can do the model, rightly."""
        return True

    def texts(self, model: Model) -> dict[str, str]:
        """The dbt models it needs, by name."""
        return {}

    def build(self, lab: Lab, model: Model) -> None:
        """Make it ready, at the sources as they are; not measured."""
        return

    @abstractmethod
    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run | None:
        """Bring it up to date; None where there was nothing to measure."""

    def refresh_all(
        self, lab: Lab, models: Sequence[Model], windows: Windows
    ) -> Mapping[str, Run | None]:
        """Bring several models up to date as a user does, by name: those of dbt in one run."""
        return {model.name: self.refresh(lab, model, windows) for model in models}

    def shown(self, model: Model) -> str | None:
        """A FROM item with the rows that it keeps, to be checked against the query."""
        return None


def feed(table: str, before: int, after: int) -> str:
    """A FROM item with the rows of a source that changed between two versions."""
    if before < after:
        return f"table_changes('{SCHEMA}.{table}', {before + 1}, {after})"
    return (
        f"(select *, '' as _change_type, 0L as _commit_version from {SCHEMA}.{table} where false)"
    )
