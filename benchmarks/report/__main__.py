"""Turn the figures into a page and plots: `python -m benchmarks.report`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report.page import page
from benchmarks.report.plots import draw
from benchmarks.results import read

ROOT = Path(__file__).parent.parent.parent


def main(arguments: Sequence[str] | None = None) -> None:
    """Read all results of a folder; write `benchmarks.md` and the plots beside it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    given = parser.parse_args(arguments)
    results = [read(path) for path in sorted(given.results.glob("*.json"))]
    if not results:
        parser.error(f"no results in {given.results}: run `make bench` first")
    drawn = draw(results, given.docs / "benchmarks")
    plots = [(caption, path.relative_to(given.docs).as_posix()) for caption, path in drawn]
    (given.docs / "benchmarks.md").write_text(page(results, plots), encoding="utf-8")


if __name__ == "__main__":
    main()
