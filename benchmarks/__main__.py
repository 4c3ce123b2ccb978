"""Runs a suite and stores its figures: `python -m benchmarks --suite tpch --scale 1`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.conditions import conditions, memory
from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.report.text import summary_text
from benchmarks.results import Result
from benchmarks.rivals.every import RIVALS
from benchmarks.suites.every import SUITES
from benchmarks.suites.refreshes import MODELS

RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite; 1 if a rival did not keep what the query says."""
    given = vars(_parser().parse_args(arguments))
    suite = SUITES[given.pop("suite")]
    output = given.pop("output")
    options = options_of(given, suite.defaults)
    name = f"{suite.name}_sf{options.scale:g}{'_near' if options.near else ''}.json"
    path = (output or RESULTS / name).absolute()
    options.folder.mkdir(parents=True, exist_ok=True)
    result = None
    with Steps() as steps:
        known: dict[str, Any] = {}
        cells: Sequence[Any] = ()
        for cells in suite.measure(options, steps):
            known = known or {**conditions(), "near": options.near}
            result = Result(
                suite.name, options.scale, known, cells, suite.summary(cells), memory(), False
            )
            result.write(path)
    assert result is not None, "a suite measures something"
    result = Result(
        suite.name, options.scale, known, cells, suite.summary(cells), memory(), finished=True
    )
    result.write(path)
    print(summary_text(result))
    print(f"\nThe figures are in {path}", file=sys.stderr)
    return 1 if result.summary.get("wrong") else 0


def options_of(given: dict[str, Any], defaults: Any) -> Options:
    """What was said, over what the suite takes else, over what every suite takes."""
    said = {key: value for key, value in given.items() if value is not None}
    said = {key: tuple(v) if isinstance(v, list) else v for key, v in said.items()}
    folder = Path(said.pop("folder", None) or tempfile.mkdtemp(prefix="bench_")).absolute()
    return Options(folder, **{**defaults, **said})


def _parser() -> argparse.ArgumentParser:
    suites = "\n".join(f"  {suite.name:12} {suite.says}" for suite in SUITES.values())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"{__doc__}\n\nsuites:\n{suites}\n\nrivals: {', '.join(RIVALS)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--suite", choices=SUITES, default="tpch")
    add("--scale", type=float, help="TPC-H's scale factor")
    add("--fractions", nargs="+", type=float, help="of the orders that change: 0.001 is 0.1 %%")
    add("--rounds", type=int, help="counted rounds")
    add(
        "--models",
        nargs="+",
        choices=MODELS,
        metavar="MODEL",
        help="shapes and q01 ... q22; the suite's own if none are named",
    )
    add(
        "--rivals",
        nargs="+",
        choices=RIVALS,
        metavar="RIVAL",
        help="the suite's own if none are named",
    )
    add("--warm-up", action=argparse.BooleanOptionalAction, help="one round that does not count")
    add(
        "--near",
        action=argparse.BooleanOptionalAction,
        help="neighbours change, as in TPC-H's own refresh sets; scattered rows if not said",
    )
    add("--check", action=argparse.BooleanOptionalAction, help="compare with the query at the end")
    add("--count", type=int, help="models of many_models, refreshes of long_run")
    add("--groups", nargs="+", type=int, help="of the states of big_state")
    add("--heap", help="Spark's driver memory: 4g")
    add("--folder", help="where TPC-H's files are kept; a temporary one if none is named")
    add("--output", type=Path, help="the JSON file; else benchmarks/results/<suite>_sf<scale>.json")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    sys.exit(main())
