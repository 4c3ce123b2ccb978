"""ivm models against the same queries as `table` models, over TPC-H and its refresh sets.

    python benchmarks/bench.py --scale 1 --fraction 0.001 --models aggregate_many_groups q01 q03

Each round changes the sources (new orders, orders removed, lines, orders and customers updated)
and then refreshes every model once incrementally and once as a table, in one process and one
Spark. The first round warms up and is not counted. Shown and stored are medians.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dbt.cli.main import dbtRunner
from pyspark import SparkContext
from pyspark.sql import SparkSession

from benchmarks.meter import Cost, metered
from benchmarks.shapes import SHAPES
from benchmarks.tpch.data import QUERIES, SOURCES_YML, deletes, generate, inserts, load, updates

SCHEMA = "bench"
COLUMNS = "{:26} {:>8} {:>8} {:>7} {:>5} {:>4} {:>10} {:>10} {:>9}  {}"


def main() -> None:
    given = _arguments()
    queries = _queries(given.models)
    folder = Path(given.folder or tempfile.mkdtemp())
    generate(folder / f"tpch_{given.scale:g}", given.scale)
    os.chdir(tempfile.mkdtemp(dir=folder))
    _write_project(queries)
    dbt = dbtRunner()
    _invoke(dbt, "run-operation", "start")
    spark = SparkSession(SparkContext._active_spark_context)
    _send(spark, load(folder / f"tpch_{given.scale:g}", SCHEMA))
    _invoke(dbt, "run")
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in queries}
    for round_ in range(1, given.rounds + 2):
        for changes in (inserts, deletes, updates):
            _send(spark, changes(SCHEMA, given.fraction, round_))
        for name in queries:
            ivm, said = _run(dbt, f"{name}_ivm")
            table, _ = _run(dbt, f"{name}_table")
            if round_ > 1:
                runs[name].append({"ivm": asdict(ivm), "table": asdict(table), "said": said})
            _progress(f"round {round_ - 1} of {given.rounds}, {name}: {said}")
    _report(runs, given)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="TPC-H scale factor")
    parser.add_argument("--fraction", type=float, default=0.001, help="of the orders that change")
    parser.add_argument("--rounds", type=int, default=3, help="counted rounds, after a warm-up")
    parser.add_argument("--models", nargs="*", help="names of shapes, q01 ... q22; all if none")
    parser.add_argument("--folder", help="where TPC-H's files are kept between runs")
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    return parser.parse_args()


def _queries(chosen: list[str] | None) -> dict[str, str]:
    every = {path.stem: path.read_text() for path in sorted(QUERIES.glob("q*.sql"))}
    every = {**SHAPES, **every}
    return {name: every[name] for name in chosen or every}


def _write_project(queries: dict[str, str]) -> None:
    files = {
        "dbt_project.yml": "name: bench\nversion: 1.0.0\nprofile: bench\n",
        "profiles.yml": f"bench: {{target: dev, outputs: {{dev: {{type: ivm_spark, "
        f"schema: {SCHEMA}}}}}}}\n",
        "macros/start.sql": "{% macro start() %}{% do run_query('create schema if not exists "
        + SCHEMA
        + "') %}{% endmacro %}\n",
        "models/sources.yml": SOURCES_YML,
    }
    for name, sql in queries.items():
        ivm = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
        files[f"models/{name}_ivm.sql"] = ivm + sql
        files[f"models/{name}_table.sql"] = "{{ config(materialized='table') }}\n" + sql
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def _send(spark: SparkSession, statements: list[str]) -> None:
    for statement in statements:
        spark.sql(statement)


def _run(dbt: dbtRunner, model: str) -> tuple[Cost, str]:
    """One refresh: the cost of the node, without dbt's own start, and what it says."""
    with metered() as cost:
        result = _invoke(dbt, "run", "--select", model).result.results[0]
    cost.seconds = result.execution_time
    return cost, str(result.adapter_response.get("_message", ""))


def _invoke(dbt: dbtRunner, *arguments: str) -> Any:
    result = dbt.invoke(["--quiet", *arguments])
    if not result.success:
        raise SystemExit(f"dbt {' '.join(arguments)} failed: {result.exception or result.result}")
    return result


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _report(runs: dict[str, list[dict[str, Any]]], given: argparse.Namespace) -> None:
    print(f"scale {given.scale:g}, {given.fraction:.2%} of the orders changed")
    print(
        COLUMNS.format(
            "model", "table s", "ivm s", "times", "stmts", "jobs", "rows", "of", "MB out", "refresh"
        )
    )
    ratios = []
    for name, rounds in runs.items():
        ivm = _medians([r["ivm"] for r in rounds])
        table = _medians([r["table"] for r in rounds])
        ratio = statistics.median(r["table"]["seconds"] / r["ivm"]["seconds"] for r in rounds)
        ratios.append(ratio)
        print(
            COLUMNS.format(
                name,
                f"{table['seconds']:.2f}",
                f"{ivm['seconds']:.2f}",
                f"{ratio:.2f}",
                f"{ivm['statements']:.0f}",
                f"{ivm['jobs']:.0f}",
                f"{ivm['rows_read']:.0f}",
                f"{table['rows_read']:.0f}",
                f"{ivm['bytes_written'] / 1e6:.2f}",
                rounds[-1]["said"],
            )
        )
    print(f"geometric mean: {statistics.geometric_mean(ratios):.2f} times as fast as a table")
    if given.output:
        figures = {"scale": given.scale, "fraction": given.fraction, "models": runs}
        given.output.write_text(json.dumps(figures, indent=1))


def _medians(costs: list[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.median(cost[key] for cost in costs) for key in costs[0]}


if __name__ == "__main__":
    main()
