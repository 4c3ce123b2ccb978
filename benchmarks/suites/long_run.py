"""Many refreshes in a row: do times, files and logs stay flat?"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.contest import texts
from benchmarks.lab import SCHEMA, Lab
from benchmarks.models import Model, node
from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.results import Cell
from benchmarks.rivals.by_dbt import AUTO, TABLE
from benchmarks.suites.refreshes import MODELS
from benchmarks.suites.suite import Suite
from benchmarks.tpch.changes import Changes
from benchmarks.tpch.data import TABLES, generate, load

KEPT = ("aggregate_many_groups", "join_aggregate", "filter", "newest_of_each")
TIDY_EVERY = 20
"""Refreshes after which the sources are compacted and `table` is measured: what drifts there too is
not ours."""
FIGURES = ("seconds", "files", "bytes", "disk_files", "disk_bytes", "log_files", "log_bytes")


def measure(options: Options, steps: Steps) -> Iterator[list[Cell]]:
    """One cell a refresh and model; the first refreshes warm up and are cells too."""
    models = [MODELS[name] for name in options.models or KEPT]
    generate(options.data, options.scale)
    steps.now("starting dbt and Spark")
    with Lab(
        options.folder,
        texts(models, (AUTO, TABLE)),
        options.heap,
        time_zone=options.time_zone,
    ) as lab:
        lab.send(load(options.data, SCHEMA))
        changes = Changes(options.data, SCHEMA, options.near_scale)
        for model in models:
            steps.now(f"building {model.name}")
            AUTO.build(lab, model)
        cells: list[Cell] = []
        steps.expect(options.count)
        for number in range(1, options.count + 1):
            steps.now(f"refresh {number}")
            lab.send(changes.refresh_set(options.fractions[0], number))
            of_number = [_refreshed(lab, model, number) for model in models]
            cells += of_number
            if number % TIDY_EVERY == 0:
                lab.send(f"optimize {SCHEMA}.{table}" for table in TABLES)
                for model, cell in zip(models, of_number, strict=True):
                    cell["table_seconds"] = TABLE.refresh(lab, model, {}).cost.seconds
            told = ", ".join(
                f"{c['model']} {c['seconds']:.2f} s {c['files']} files" for c in of_number
            )
            steps.done(f"refresh {number}: {told}")
            yield cells


def _refreshed(lab: Lab, model: Model, number: int) -> Cell:
    run = AUTO.refresh(lab, model, {})
    state = lab.stored(node(model.name, AUTO.name))
    return {
        "model": model.name,
        "refresh": number,
        "seconds": run.cost.seconds,
        "statements": run.cost.statements,
        "jobs": run.cost.jobs,
        "kind": run.said.get("refresh_kind"),
        "message": run.said.get("_message"),
        **size(lab, f"{SCHEMA}.{state}"),
    }


def size(lab: Lab, table: str) -> dict[str, int]:
    """Files and bytes of a Delta table: those of its newest version, those on disk (older versions
    and change files are among them until a VACUUM), and those of its log."""
    detail = lab.rows(f"describe detail {table}")[0]
    folder = Path(str(detail["location"]).removeprefix("file:"))
    log = [path for path in (folder / "_delta_log").rglob("*") if path.is_file()]
    data = [path for path in folder.rglob("*.parquet") if "_delta_log" not in path.parts]
    return {
        "files": int(detail["numFiles"]),
        "bytes": int(detail["sizeInBytes"]),
        "disk_files": len(data),
        "disk_bytes": sum(path.stat().st_size for path in data),
        "log_files": len(log),
        "log_bytes": sum(path.stat().st_size for path in log),
    }


def summary(cells: Sequence[Cell]) -> Mapping[str, Any]:
    """By model, the median of each figure over the last tenth of the refreshes by that over the
    second tenth (the first warms up): 1 is flat. `table_seconds`: the same for the rebuilds."""
    return {
        model: {
            **{figure: growth(_of(cells, model, figure)) for figure in FIGURES},
            "table_seconds": _last_by_first(_of(cells, model, "table_seconds")),
            "not_incremental": sum(
                cell["model"] == model and cell["kind"] != "incremental" for cell in cells
            ),
        }
        for model in dict.fromkeys(cell["model"] for cell in cells)
    }


def growth(values: Sequence[float]) -> float | None:
    """The median of the last tenth by the median of the second; None of fewer than 20 values."""
    tenth = len(values) // 10
    early, late = values[tenth : 2 * tenth], values[len(values) - tenth :]
    if tenth < 2 or statistics.median(early) == 0:
        return None
    return statistics.median(late) / statistics.median(early)


def _last_by_first(values: Sequence[float]) -> float | None:
    return values[-1] / values[0] if len(values) > 1 else None


def _of(cells: Sequence[Cell], model: str, figure: str) -> list[float]:
    return [cell[figure] for cell in cells if cell["model"] == model and figure in cell]


LONG_RUN = Suite(
    "long_run",
    "200 refreshes in a row",
    measure,
    summary,
    {"scale": 0.1, "count": 200},
    models=MODELS,
)
