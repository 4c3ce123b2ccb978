"""Every maintained shape against its own query, over random changes, as bags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.budget import LONG, budget
from tests.functional.ivm.changes import SOURCES_YML, Changes
from tests.functional.ivm.nested_shapes import OTHER_MODELS
from tests.functional.ivm.shapes import SHAPES as ALL_SHAPES
from tests.functional.ivm.warehouse import Warehouse, in_turn

SEED = 20240229
VIEW = "{{ config(materialized='ivm') }}\n"
TABLE = "{{ config(materialized='ivm', publish='table') }}\n"
READ = ("sales", "sales_by_region", "by_product")
"""The models that others read."""
SHAPES = budget(
    {
        n: s
        for at, (n, s) in enumerate(ALL_SHAPES.items())
        if at % 3 == 1 or s.on_models or n in READ
    },
    ALL_SHAPES,
)


def everything(changes: Changes) -> set[str]:
    for table in ("orders", "customers", "products"):
        changes.insert(table, 4)
        changes.update(table)
        changes.delete(table)
    return {"orders", "customers", "products"}


def only_inserts(changes: Changes) -> set[str]:
    changes.insert("orders", 5)
    return {"orders"}


def only_deletes(changes: Changes) -> set[str]:
    changes.delete("customers", 3)
    changes.delete("products", 3)
    return {"customers", "products"}


def merged_and_overwritten(changes: Changes) -> set[str]:
    changes.merge("customers")
    changes.overwrite("orders")
    changes.insert("products", 2)
    return {"customers", "orders", "products"}


def one_kind_a_table(changes: Changes) -> set[str]:
    changes.insert("orders", 5)
    changes.delete("customers", 3)
    changes.overwrite("products")
    return {"orders", "customers", "products"}


BATCHES: tuple[Callable[[Changes], set[str]], ...] = (
    everything,
    *budget((), (one_kind_a_table, only_inserts, only_deletes, merged_and_overwritten)),
)


class TestMaintainedShapes:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        ours = {
            f"{name}.sql": (TABLE if place % 3 == 0 else VIEW) + shape.sql
            for place, (name, shape) in enumerate(SHAPES.items())
        }
        return {**ours, **OTHER_MODELS, "sources.yml": SOURCES_YML}

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[tuple[str, set[str], dict[str, Any], list[str]]]:
        """The first build and each batch: its name, the sources it moved, the responses by model,
        and the differences between the models and their queries after it."""
        print(f"seed {SEED}")  # noqa: T201
        changes = Changes(warehouse, SEED)
        changes.create()
        runs = []
        for place, batch in enumerate((None, *BATCHES)):
            moved = batch(changes) if batch is not None else set()
            with in_turn(place):
                results = warehouse.dbt("run", ok=None)
            failed = {n: r.message for n, r in results.items() if r.status != "success"}
            responses = {
                n: {"failed": failed.get(n), **results[n].adapter_response} for n in SHAPES
            }
            built = [name for name in SHAPES if warehouse.exists(name)]
            differences = warehouse.all_differences(built if LONG or batch is not None else ())
            name = batch.__name__ if batch is not None else "first build"
            runs.append((name, moved, responses, differences))
        return runs

    @pytest.mark.parametrize("name", SHAPES)
    def test_equals_its_query_after_every_batch(self, runs: Any, name: str) -> None:
        assert not any(run[2][name]["failed"] for run in runs), [r[2][name] for r in runs]
        wrong = {
            f"batch {place}, {batch}": found
            for place, (batch, _, _, differences) in enumerate(runs)
            if (found := [text for text in differences if text.startswith(f"{name}: ")])
        }
        assert not wrong, f"seed {SEED}"

    @pytest.mark.parametrize("name", SHAPES)
    def test_was_refreshed_incrementally(self, runs: Any, name: str) -> None:
        shape = SHAPES[name]
        assert not any(run[2][name]["failed"] for run in runs), [r[2][name] for r in runs]
        assert runs[0][2][name]["refresh_kind"] == "initial"
        techniques = set()
        for batch, moved, responses, _ in runs[1:]:
            response = responses[name]
            if shape.sources & moved:
                assert response["refresh_kind"] == "incremental", (batch, response)
            elif shape.on_models:
                assert response["refresh_kind"] in ("incremental", "none"), (batch, response)
            else:
                assert response["refresh_kind"] == "none", (batch, response)
            if response["refresh_kind"] == "incremental":
                techniques.add(response["technique"])
            else:
                assert response["technique"] == "no_op"
        assert techniques == {shape.technique}

    def test_the_batches_changed_every_kind_of_row(self, runs: Any) -> None:
        """Else the comparison would say little."""
        for name in SHAPES:
            touched = sum(run[2][name].get("rows_affected", 0) for run in runs[1:])
            assert touched > 0, name
        for field in ("rows_inserted", "rows_updated", "rows_deleted"):
            assert sum(r[2][n].get(field, 0) for r in runs[1:] for n in SHAPES) > 50
