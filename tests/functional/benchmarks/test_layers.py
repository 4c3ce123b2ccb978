"""The suite `layers` from end to end, with few models: they equal their tables in every phase."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.results import read
from tests.budget import only_long
from tests.functional.processes import run

ROOT = Path(__file__).parents[3]


@only_long
def test_a_few_models_of_layers(tmp_path: Path) -> None:
    file = tmp_path / "layers.json"
    command = [sys.executable, "-m", "benchmarks", "--suite", "layers", "--heap", "1g"]
    command += ["--rows", "500", "--rounds", "1", "--fractions", "0.005", "--no-warm-up"]
    command += ["--models", "silver_market_highs", "silver_watches"]
    command += ["--folder", str(tmp_path / "data"), "--output", str(file)]
    said = run(*command, cwd=ROOT, timeout=600)
    assert "0.5 % changed: the models that lose the most time" in said
    result = read(file)
    assert result.finished
    assert result.summary["wrong"] == []
    assert result.summary["never"] == {}
    build, change, idle = result.summary["runs"]
    assert build["kinds"] == {"initial": build["models"]}
    assert "none" not in change["kinds"]
    assert idle["kinds"] == {"none": idle["models"]}
    assert idle["wrote"] == []
    assert min(run["ratio"] for run in (build, change, idle)) > 0
    whole = next(cell for cell in result.cells if cell["phase"] == "change")
    assert whole["changed_rows"]["daily_prices"] == 8
    assert min(whole["changed_rows"].values()) > 0
    assert not list((tmp_path / "data").glob("lab_*")), "its tables go with it"
