"""The tables and sentences of the suite `layers`. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.brokerage.figures import (
    BUILD,
    CHANGE,
    IDLE,
    kinds,
    lost,
    runs,
    seconds_a_model,
)
from benchmarks.report.table import NOTHING, Table, number, percent
from benchmarks.results import Cell, Result

WORST = 10
"""How many models the page shows for each fraction."""


def layers(cells: Sequence[Cell]) -> Iterator[Table]:
    """Yield a table of the whole runs, then for each fraction a table of the slowest models."""
    found = list(runs(cells))
    if found:
        yield _whole_runs(found)
    yield from (_worst(whole, models) for whole, models in found if whole["phase"] == CHANGE)


def overview(results: Sequence[Result]) -> Table:
    """Return a table with the whole runs at all sizes."""
    fractions = sorted(
        {run["fraction"] for r in results for run in r.summary["runs"] if run["phase"] == CHANGE}
    )
    header = [
        *("rows of the largest sources", BUILD),
        *(f"{percent(fraction)} changed" for fraction in fractions),
        *(IDLE, "s per model, no change", "models that wrote, no change"),
    ]
    rows = []
    for result in sorted(results, key=lambda result: result.scale):
        said = {(run["phase"], run["fraction"]): run for run in result.summary["runs"]}
        idle = said.get((IDLE, 0.0), {})
        wanted = [(BUILD, 0.0), *((CHANGE, fraction) for fraction in fractions), (IDLE, 0.0)]
        rows.append(
            [
                number(result.scale),
                *(number(said.get(what, {}).get("ratio")) for what in wanted),
                number(idle.get("seconds_a_model")),
                number(len(idle["wrote"]) if idle else None),
            ]
        )
    return Table("Times as fast as tables, in whole runs of dbt", header, rows)


def sentences(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield the summary in sentences."""
    for run in summary["runs"]:
        yield (
            f"{_what(run)}: {run['models']} models take {number(run['seconds'])} s as ivm and "
            f"{number(run['table_seconds'])} s as tables. ivm is {number(run['ratio'])} times as "
            f"fast ({number(run['geometric_mean'])} in the geometric mean of the models). "
            f"Refreshes: {_kinds(run['kinds'])}. {run['too_slow']} models take more than 1.1 times "
            "the time of their tables and more than 0.15 s longer."
        )
        if run["phase"] == IDLE and run["wrote"]:
            yield f"  These models wrote although nothing changed: {', '.join(run['wrote'])}."
    for model, code in summary["never"].items():
        yield f"{model} is always refreshed in full: {code}."
    yield from (f"WRONG ROWS: {said}." for said in summary["wrong"])


def _whole_runs(found: Sequence[tuple[Cell, Sequence[Cell]]]) -> Table:
    header = ["run", "table s", "ivm s", "times", "s per model", "statements", "table jobs", "jobs"]
    header += ["table CPU s", "CPU s", "table rows read", "rows read", "changed rows"]
    header += ["what auto did"]
    rows = []
    for whole, models in found:
        auto, table = (whole["rivals"].get(form, {}) for form in ("auto", "table"))
        rows.append(
            [
                _what(whole),
                number(table.get("seconds")),
                number(auto.get("seconds")),
                number(whole["ratio"]),
                number(seconds_a_model(models)),
                number(auto.get("statements"), 0),
                *(number(form.get("jobs"), 0) for form in (table, auto)),
                *(number(form.get("cpu_seconds"), 1) for form in (table, auto)),
                *(number(form.get("rows_read"), 0) for form in (table, auto)),
                number(sum(whole["changed_rows"].values()), 0),
                _kinds(kinds(models)),
            ]
        )
    return Table("Whole runs of dbt", header, rows)


def _worst(whole: Cell, models: Sequence[Cell]) -> Table:
    ways = [way for way in ("incremental", "full") if way in whole["rivals"]]
    header = ["model", "layer", "table s", "ivm s", *(f"{way} s" for way in ways), "s lost"]
    header += ["times", "changed rows"]
    header += ["what auto did", "technique", "reason", "statements", "table jobs", "jobs"]
    rows = []
    for cell in sorted(models, key=lost, reverse=True)[:WORST]:
        auto, table = (cell["rivals"].get(form, {}) for form in ("auto", "table"))
        rows.append(
            [
                cell["model"],
                number(cell["depth"]),
                number(table.get("seconds")),
                number(auto.get("seconds")),
                *(number(cell["rivals"][way]["seconds"]) for way in ways),
                number(lost(cell)),
                number(cell["ratio"]),
                number(_middle(auto.get("rows_changed") or ())),
                ", ".join(dict.fromkeys(filter(None, auto.get("kinds", ())))) or NOTHING,
                auto.get("technique") or NOTHING,
                auto.get("reason") or NOTHING,
                number(auto.get("statements"), 0),
                *(number(form.get("jobs"), 0) for form in (table, auto)),
            ]
        )
    title = (
        f"{percent(whole['fraction'])} changed: the models that lose the most time against their "
        "tables"
    )
    return Table(title, header, rows)


def _what(run: Mapping[str, Any]) -> str:
    return f"{percent(run['fraction'])} changed" if run["phase"] == CHANGE else str(run["phase"])


def _kinds(found: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in found.items()) or NOTHING


def _middle(values: Sequence[int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None
