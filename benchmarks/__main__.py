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
from benchmarks.suites.suite import Suite

RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite; 1 if a rival did not keep what the query says."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    suite = SUITES[given.pop("suite")]
    for what, known in (("models", suite.models), ("rivals", suite.rivals)):
        if unknown := set(given[what] or ()) - set(known or given[what] or ()):
            parser.error(f"{suite.name} has no {what} {sorted(unknown)}; it has {sorted(known)}")
    output = given.pop("output")
    options = options_of(given, suite.defaults)
    path = (output or RESULTS / file_name(suite, options)).absolute()
    size = float(getattr(options, suite.sized_by))
    options.folder.mkdir(parents=True, exist_ok=True)
    result = None
    with Steps() as steps:
        known: dict[str, Any] = {}
        cells: Sequence[Any] = ()
        for cells in suite.measure(options, steps):
            others = {"time_zone": options.time_zone, "worn": options.worn}
            said = {name: value for name, value in others.items() if value}
            known = known or {**conditions(), "near": options.near, **said}
            result = Result(
                suite.name, size, known, cells, suite.summary(cells), memory(), finished=False
            )
            result.write(path)
    assert result is not None, "a suite measures something"
    result = Result(suite.name, size, known, cells, suite.summary(cells), memory(), finished=True)
    result.write(path)
    print(summary_text(result))
    print(f"\nThe figures are in {path}", file=sys.stderr)
    return 1 if result.summary.get("wrong") else 0


def file_name(suite: Suite, options: Options) -> str:
    """The name of a result's file: what was measured on how much."""
    if suite.sized_by == "rows":
        return f"{suite.name}_{options.rows}.json"
    how = f"{'_near' if options.near else ''}{'_worn' if options.worn else ''}"
    return f"{suite.name}_sf{options.scale:g}{how}.json"


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
    add("--rows", type=int, help="rows of the largest sources, for layers")
    add(
        "--fractions",
        nargs="+",
        type=float,
        help="fractions of the orders (in layers: of the sources) that change; 0.001 is 0.1 %%",
    )
    add("--rounds", type=int, help="counted rounds")
    add(
        "--models",
        nargs="+",
        metavar="MODEL",
        help="shapes and q01 ... q22, or models of layers; default: all models of the suite",
    )
    add(
        "--rivals",
        nargs="+",
        choices=RIVALS,
        metavar="RIVAL",
        help="default: all rivals of the suite",
    )
    add("--warm-up", action=argparse.BooleanOptionalAction, help="run one warm-up round first")
    add(
        "--near",
        action=argparse.BooleanOptionalAction,
        help="change neighbouring rows, as TPC-H's refresh sets do; default: scattered rows",
    )
    add(
        "--worn",
        action=argparse.BooleanOptionalAction,
        help="give the large sources many files with deletion vectors; default: a few files",
    )
    add("--check", action=argparse.BooleanOptionalAction, help="compare with the query at the end")
    add("--count", type=int, help="number of models (many_models) or refreshes (long_run)")
    add("--groups", nargs="+", type=int, help="groups of the states, for big_state")
    add("--heap", help="Spark's driver memory: 4g")
    add("--time-zone", help="of the sessions: Europe/Berlin; default: Spark's own")
    add("--folder", help="folder for TPC-H's files; default: a temporary folder")
    add("--output", type=Path, help="JSON file to write; default: one in benchmarks/results")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    sys.exit(main())
