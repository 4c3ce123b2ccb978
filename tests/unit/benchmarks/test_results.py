from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.cost import Run
from benchmarks.results import cell, ratio, read
from benchmarks.summary import summary
from tests.unit.benchmarks.figures import made, result, run


def test_a_ratio_is_the_median_of_each_rounds_ratio() -> None:
    table, auto = [run(2.0), run(30.0), run(4.0)], [run(1.0), run(10.0), run(1.0)]
    assert ratio(table, auto) == 3.0
    assert ratio([], auto) is None


def test_a_cell_records_the_adapter_response_and_both_times() -> None:
    said = {
        "refresh_kind": "full",
        "technique": "full",
        "reason": {"code": "COST_MODEL"},
        "sources": {"orders": {"from": 1, "to": 2, "changed_rows": 7}},
        "estimated_seconds": {"incremental": 3.0, "full": 2.0},
    }
    auto = [Run(run(2.0).cost, said)]
    runs = {"auto": auto, "incremental": [run(4.0)], "full": [run(2.0)], "empty_merge": []}
    made = cell("m", 0.1, runs)
    assert made["predicted"] == {"incremental": 3.0, "full": 2.0}
    assert made["actual"] == {"incremental": 4.0, "full": 2.0}
    assert made["changed_rows"] == {"orders": 7}
    assert made["ratio"] is None
    assert made["rivals"]["auto"]["reason"] == "COST_MODEL"
    assert "empty_merge" not in made["rivals"]


def test_predicted_is_null_without_an_adapter_response() -> None:
    assert made("m", auto=1.0)["predicted"] is None


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = result("tpch", [made("q01", auto=1.0, table=3.0)], summary)
    written.write(tmp_path / "folder" / "r.json")
    again = read(tmp_path / "folder" / "r.json")
    assert again.cells[0]["ratio"] == pytest.approx(3.0)
    assert again.cells[0]["rivals"]["auto"]["sent"][0]["text"] == "merge into t"
    assert again.summary == written.summary
