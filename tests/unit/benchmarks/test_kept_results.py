"""The page of the benchmarks shows the figures that are kept beside it."""

from __future__ import annotations

from pathlib import Path

from benchmarks.report.page import HEAD, page
from benchmarks.results import read

ROOT = Path(__file__).parents[3]


def test_the_page_matches_the_stored_figures() -> None:
    """All of it but the plots."""
    results = [read(path) for path in sorted((ROOT / "benchmarks" / "results").glob("*.json"))]
    assert results
    assert all(result.finished for result in results)
    written = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert written.startswith(HEAD)
    assert written.endswith(page(results, ()).removeprefix(HEAD))
