"""The 22 queries of TPC-H as ivm models, over its refresh sets, updates and changed dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.tpch.changes import Changes
from benchmarks.tpch.data import SOURCES_YML, generate, load, model
from dbt.adapters.ivm_spark.delta import join
from dbt.adapters.ivm_spark.physical import magic_sets
from dbt.adapters.ivm_spark.session import pinned_scan
from tests.budget import budget, only_long
from tests.functional.ivm.conftest import INCREMENTAL
from tests.functional.ivm.warehouse import Warehouse, files_pruned

SCALE = 0.005
NUMBERS = budget((1, 5, 11, 13, 16, 20), range(1, 23))
GROUPS, AFFECTED, ROWS = "group_aggregate", "affected_groups", "row_based"
TECHNIQUES = {2: ROWS, 11: ROWS, 15: ROWS, 16: AFFECTED, 20: ROWS}
"""Of the queries that are not kept by accumulators."""
FULL: dict[int, str] = {}
"""Reason codes of the queries that are not maintained."""


class TestTpch:
    worn = False

    @pytest.fixture(scope="class", autouse=True)
    def every_table_is_big(self) -> Iterator[None]:
        """So that what a change meets is narrowed to its keys, as on tables of millions of rows."""
        with files_pruned(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(magic_sets, "LONG_ROWS", 1)
            patch.setattr(join, "FACTOR_ROWS", 1)
            yield

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        # at this scale few orders are as large, and few parts as important, as the queries want
        return {**INCREMENTAL, "vars": {"q18_quantity": 220, "q11_fraction": "0.01"}}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        ours = {f"q{n:02}.sql": model(n, materialized="ivm") for n in NUMBERS}
        return {**ours, "sources.yml": SOURCES_YML}

    @pytest.fixture(scope="class")
    def runs(
        self, warehouse: Warehouse, tmp_path_factory: pytest.TempPathFactory
    ) -> list[tuple[dict[str, Any], list[str]]]:
        """The first build and each batch: the responses by model, and the differences between the
        models and their queries after it."""
        folder = tmp_path_factory.mktemp("tpch")
        generate(folder, SCALE)
        warehouse.sql(*load(folder, warehouse.schema, self.worn))
        changes = Changes(folder, warehouse.schema)
        batches = (
            [],
            *budget([], [changes.inserts(0.01, 1)]),
            [
                *changes.deletes(0.02, 2),
                *changes.updates(0.03, 2),
                *changes.dimension_changes(2),
                *changes.inserts(0.005, 2),
            ],
        )
        runs = []
        for batch in batches:
            warehouse.sql(*batch)
            results = warehouse.dbt("run", ok=None)
            failed = [r.message for r in results.values() if r.status != "success"]
            assert not failed, failed
            responses = {name: r.adapter_response for name, r in results.items()}
            runs.append((responses, warehouse.all_differences(results)))
        return runs

    @pytest.mark.parametrize("number", NUMBERS)
    def test_equals_its_query(self, runs: Any, number: int) -> None:
        for place, (_, differences) in enumerate(runs):
            wrong = [d for d in differences if d.startswith(f"q{number:02}: ")]
            assert not wrong, (place, wrong[:6])

    @pytest.mark.parametrize("number", NUMBERS)
    def test_is_refreshed_incrementally_unless_listed(self, runs: Any, number: int) -> None:
        for responses, _ in runs[1:]:
            response = responses[f"q{number:02}"]
            if number in FULL:
                assert response["refresh_kind"] == "full"
                assert response["reason"]["code"] == FULL[number]
            elif response["refresh_kind"] != "none":
                assert response["refresh_kind"] == "incremental", response
                assert response["technique"] == TECHNIQUES.get(number, GROUPS)
        last = runs[-1][0][f"q{number:02}"]
        assert last["refresh_kind"] != "none", "the last batch changes every query's sources"

    def test_the_queries_return_and_change_rows(self, runs: Any, warehouse: Warehouse) -> None:
        """Else the comparison would say little."""
        empty = [n for n in NUMBERS if not warehouse.rows(f"select * from q{n:02}")]
        assert len(empty) <= 2, empty
        changed = [
            n for n in NUMBERS if sum(r[0][f"q{n:02}"].get("rows_affected", 0) for r in runs[1:])
        ]
        assert len(changed) >= len(NUMBERS) - 5, changed


@only_long
class TestTpchOverManyFiles(TestTpch):
    """Over sources of more files than Delta lists in a checksum, each with a deletion vector."""

    worn = True

    @pytest.fixture(scope="class", autouse=True)
    def no_table_is_small(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pinned_scan, "FEW_BYTES", 0)
            yield
