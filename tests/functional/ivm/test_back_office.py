"""integration_project/back_office, a project in the shapes of public dbt packages: three rounds of
changes (in CI at once, and two of the four departments), and a run with nothing changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.budget import LONG, budget
from tests.functional.ivm.back_office import ROUNDS, files, project, tables
from tests.functional.ivm.warehouse import Warehouse, kinds, reasons

MODELS = budget(("+path:models/marts/subs", "+path:models/marts/desk"), ())
FULL = {
    "subs_running_mrr": "WINDOW_WITHOUT_PARTITION_BY",
}
"""The models that are refreshed in full, with the code of the reason."""
CONSTANT = {"int_calendar_days", "int_calendar_months"}
"""The models that read no table."""


@dataclass
class Run:
    """A run of all models: their responses, and how they differ from their queries after it."""

    responses: dict[str, dict[str, Any]]
    differences: list[str]


class TestBackOffice:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return project()

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return files("models")

    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, Any]:
        return files("macros")

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, Any]:
        return files("seeds")

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[Run]:
        """The first build, and a run after each round of changes."""
        if LONG:
            warehouse.dbt("seed")
        else:
            warehouse.sql(*tables())
        runs = []
        for statements in ((), *budget((sum(ROUNDS, ()),), ROUNDS)):
            warehouse.sql(*statements)
            responses = warehouse.run(*MODELS)
            compared = responses if statements or LONG else {}
            runs.append(Run(responses, warehouse.all_differences(compared)))
        return runs

    def test_every_model_equals_its_query(self, runs: list[Run]) -> None:
        for place, run in enumerate(runs):
            assert not run.differences, (place, run.differences[:6])

    def test_only_the_listed_models_are_refreshed_in_full(self, runs: list[Run]) -> None:
        _, *refreshes = runs
        full: dict[str, str] = {}
        incremental: set[str] = set()
        for run in refreshes:
            full |= reasons(run.responses)
            incremental |= {n for n, kind in kinds(run.responses).items() if kind == "incremental"}
        assert full == FULL
        assert incremental == runs[0].responses.keys() - FULL.keys() - CONSTANT

    def test_every_model_has_rows_and_changes(self, runs: list[Run], warehouse: Warehouse) -> None:
        """Else the comparison would say little."""
        _, *refreshes = runs
        for name in runs[0].responses:
            assert warehouse.rows(f"select 1 from {name} limit 1"), name
        changed = {
            name
            for run in refreshes
            for name, response in run.responses.items()
            if response["rows_affected"]
        }
        assert changed == runs[0].responses.keys() - CONSTANT

    def test_no_model_is_written_without_a_change(
        self, runs: list[Run], warehouse: Warehouse
    ) -> None:
        assert set(kinds(warehouse.run(*MODELS)).values()) == {"none"}
