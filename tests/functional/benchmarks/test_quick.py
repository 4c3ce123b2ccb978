"""The benchmark from end to end, at its smallest: its figures are there, and its rivals right."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.results import read
from tests.budget import only_long
from tests.functional.processes import run

ROOT = Path(__file__).parents[3]


@only_long
def test_the_quick_suite(tmp_path: Path) -> None:
    file = tmp_path / "quick.json"
    command = [sys.executable, "-m", "benchmarks", "--suite", "quick", "--heap", "1g"]
    said = run(*command, "--folder", tmp_path / "data", "--output", file, cwd=ROOT)
    assert "keyed_join" in said
    result = read(file)
    assert result.finished
    assert result.conditions["cores"] >= 1
    cells = {cell["model"]: cell for cell in result.cells}
    assert set(cells) == {"aggregate_many_groups", "keyed_join"}
    for cell in cells.values():
        assert cell["right"] is True
        assert cell["ratio"] > 0
        assert min(cell["changed_rows"].values()) > 0
        rivals = cell["rivals"]
        assert set(rivals) == {
            *("auto", "incremental", "full", "table", "merge", "best"),
            *("insert_rows", "empty_merge", "change_feed", "duckdb"),
        }
        assert all(figures["seconds"] > 0 for figures in rivals.values())
        merged = rivals["incremental"]
        assert (merged["kind"], rivals["full"]["kind"]) == ("incremental", "full")
        assert rivals["auto"]["kind"] in ("incremental", "full")
        assert merged["rows_read"] > 0
        assert merged["bytes_written"] > 0
        assert merged["files_added"] > 0
        assert rivals["table"]["rows_written"] > merged["rows_written"] > 0
        assert merged["breakdown"]["merge"] < merged["seconds"]
        assert rivals["change_feed"]["statements"] == len(cell["changed_rows"])
    assert not list((tmp_path / "data").glob("lab_*")), "its tables go with it"
