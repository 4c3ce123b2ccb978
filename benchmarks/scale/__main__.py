"""Writes docs/scale.md from measured refreshes: `python -m benchmarks.scale` (or `make scale`)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.results import read
from benchmarks.scale.costs import points
from benchmarks.scale.page import page

ROOT = Path(__file__).parent.parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "scale"
PAGE = ROOT / "docs" / "scale.md"


def written() -> str:
    """The page, from the results that are kept."""
    return page(points([read(path) for path in sorted(RESULTS.glob("*.json"))]))


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
