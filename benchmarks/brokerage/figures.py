"""Cells and summary of the suite `layers`. Pure."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.brokerage.models import depth
from benchmarks.cost import Run
from benchmarks.results import Cell, cell
from benchmarks.summary import mean

BUILD, CHANGE, IDLE = "first build", "change", "no change"
"""The phases: build every model, refresh after changes of the sources, refresh without any."""
WHOLE = "whole run"
"""The model of a cell that stands for a whole `dbt run`."""
SLOWER, LONGER = 1.1, 0.15
"""What `auto` may take: 1.1 times the time of `table`, or 0.15 s more."""


@dataclass(frozen=True)
class Turn:
    """One `dbt run` of each form.

    whole: the whole run, by form; models: the run of each model, by form; changed: changed rows by
    source; wrote: the models that got a commit, by form, in phase IDLE only; wrong: how models
    differ from their tables, in this turn or before.
    """

    whole: Mapping[str, Run]
    models: Mapping[str, Mapping[str, Run]]
    changed: Mapping[str, int]
    wrote: Mapping[str, Sequence[str]]
    wrong: Sequence[str] = ()


def cells(phase: str, fraction: float, turns: Sequence[Turn]) -> list[Cell]:
    """Return the cell of the whole run, then one for each model."""
    forms = list(turns[0].whole)
    whole = _cell(phase, fraction, WHOLE, {f: [t.whole[f] for t in turns] for f in forms})
    whole["changed_rows"] = dict(turns[-1].changed)
    whole["wrote"] = {f: sorted({m for t in turns for m in t.wrote[f]}) for f in forms}
    whole["wrong"] = list(turns[-1].wrong)
    found = [whole]
    for name in turns[0].models[forms[0]]:
        runs = {form: [turn.models[form][name] for turn in turns] for form in forms}
        found.append({"depth": depth(name), **_cell(phase, fraction, name, runs)})
    return found


def _cell(phase: str, fraction: float, name: str, runs: Mapping[str, Sequence[Run]]) -> Cell:
    """Return a cell that also has what each round did. To save space, only changes refreshed by
    `auto` keep their statements."""
    made = {"phase": phase, **cell(name, fraction, runs)}
    for form, figures in made["rivals"].items():
        said = [run.said for run in runs[form]]
        figures["kinds"] = [each.get("refresh_kind") for each in said]
        figures["rows_changed"] = [each.get("rows_affected") for each in said]
        if form != "auto" or phase != CHANGE or name == WHOLE:
            del figures["sent"]
    return made


def summary(of: Sequence[Cell]) -> dict[str, Any]:
    """Sum up the cells.

    runs: one entry for each phase and fraction, see `_run`; never: models that have no incremental
    refresh, with the reason's code; wrong: how models differ from their tables.
    """
    never = {
        c["model"]: code
        for c in of
        if (code := c["rivals"].get("auto", {}).get("reason")) not in (None, "COST_MODEL")
        and c["phase"] == CHANGE
    }
    return {
        "runs": [_run(whole, models) for whole, models in runs(of)],
        "never": never,
        "wrong": list(dict.fromkeys(said for c in of for said in c["wrong"])),
    }


def runs(of: Sequence[Cell]) -> Iterator[tuple[Cell, list[Cell]]]:
    """Yield each whole run with the cells of its models, in the order of measuring."""
    for whole in of:
        if whole["model"] == WHOLE:
            what = whole["phase"], whole["fraction"]
            yield whole, [c for c in of if (c["phase"], c["fraction"]) == what and c is not whole]


def _run(whole: Cell, models: Sequence[Cell]) -> dict[str, Any]:
    """Sum up one phase and fraction. `too_slow` counts models, `wrote` names them."""
    auto = whole["rivals"].get("auto", {})
    return {
        "phase": whole["phase"],
        "fraction": whole["fraction"],
        "models": len(models),
        "ratio": whole["ratio"],
        "geometric_mean": mean(c["ratio"] for c in models if c["ratio"] is not None),
        "seconds": auto.get("seconds"),
        "table_seconds": whole["rivals"].get("table", {}).get("seconds"),
        "seconds_a_model": seconds_a_model(models),
        "kinds": kinds(models),
        "too_slow": sum(map(too_slow, models)),
        "wrote": whole["wrote"].get("auto", []),
    }


def seconds_a_model(models: Sequence[Cell]) -> float | None:
    """Return the mean time of a model under `auto`, without dbt's start."""
    seconds = [c["rivals"]["auto"]["seconds"] for c in models if "auto" in c["rivals"]]
    return statistics.mean(seconds) if seconds else None


def kinds(models: Sequence[Cell]) -> dict[str, int]:
    """Count the models by the kind of their refresh under `auto`, in the last round."""
    return dict(Counter(c["rivals"]["auto"]["kind"] for c in models if "auto" in c["rivals"]))


def lost(of: Cell) -> float:
    """Return how many seconds `auto` takes longer than `table`."""
    rivals = of["rivals"]
    if not {"auto", "table"} <= rivals.keys():
        return 0.0
    return float(rivals["auto"]["seconds"] - rivals["table"]["seconds"])


def too_slow(of: Cell) -> bool:
    """Return whether `auto` takes longer than it may."""
    table = float(of["rivals"].get("table", {}).get("seconds", 0))
    return lost(of) > max(LONGER, (SLOWER - 1) * table)
