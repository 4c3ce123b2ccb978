"""Rivals that dbt runs: ivm under its policies, tables, and hand-written incremental models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.cost import Run
from benchmarks.lab import PROJECT, SCHEMA, Lab
from benchmarks.models import Model, node
from benchmarks.rivals.rival import Rival, Windows

HAND_WRITTEN = PROJECT / "models" / "merge"


class ByDbt(Rival):
    """A dbt model of the query itself, with a configuration."""

    def __init__(self, name: str, **config: Any) -> None:
        self.name = name
        self._config = config

    def _configured(self, model: Model) -> Mapping[str, Any]:
        own = model.config if self._config["materialized"] == "ivm" else {}
        return {**own, **self._config}

    def texts(self, model: Model) -> dict[str, str]:
        return {
            node(m.name, self.name): m.text(self.name, self._configured(m)) for m in model.chain
        }

    def build(self, lab: Lab, model: Model) -> None:
        lab.refresh({model.name: self._nodes(model)})

    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run:
        return lab.refresh({model.name: self._nodes(model)})[model.name]

    def refresh_all(
        self, lab: Lab, models: Sequence[Model], windows: Windows
    ) -> Mapping[str, Run | None]:
        return lab.refresh({model.name: self._nodes(model) for model in models})

    def shown(self, model: Model) -> str:
        return f"{SCHEMA}.{node(model.name, self.name)}"

    def _nodes(self, model: Model) -> list[str]:
        return [node(m.name, self.name) for m in model.chain]


class Appending(ByDbt):
    """An ivm model whose state is appended to; no other one can stand on it."""

    def __init__(self) -> None:
        super().__init__("append", materialized="ivm", state_writes="append")

    def fits(self, model: Model) -> bool:
        return model.below is None


class DbtMerge(ByDbt):
    """`materialized='incremental'` with `merge`, written by hand where a right one exists: keys
    that the change feed touches are computed again, and rows that are gone are flagged."""

    def __init__(self) -> None:
        super().__init__("merge", materialized="incremental")

    def fits(self, model: Model) -> bool:
        return (HAND_WRITTEN / f"{node(model.name, self.name)}.sql").exists()

    def texts(self, model: Model) -> dict[str, str]:
        return {}

    def shown(self, model: Model) -> str:
        return f"(select * from {super().shown(model)} where not is_deleted)"


AUTO = ByDbt("auto", materialized="ivm", refresh_policy="auto")
INCREMENTAL = ByDbt("incremental", materialized="ivm", refresh_policy="incremental")
FULL = ByDbt("full", materialized="ivm", refresh_policy="full")
APPEND = Appending()
TABLE = ByDbt("table", materialized="table")
MERGE = DbtMerge()
