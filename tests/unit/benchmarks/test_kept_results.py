"""The page of the benchmarks shows the figures that are kept beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.report.tables import tables
from benchmarks.results import read

ROOT = Path(__file__).parents[3]
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_the_page_has_its_tables(path: Path) -> None:
    result = read(path)
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert result.finished
    assert all(table.markdown() in page for table in tables(result))


def test_there_are_results() -> None:
    assert RESULTS
