"""What the cells of a contest sum up to. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.results import Cell

TOLERANCE = 1.1
"""A choice is right if it is the faster way, or within this factor of it."""


def summary(cells: Sequence[Cell]) -> dict[str, Any]:
    """By changed fraction: `geometric_mean` of the speed-up over `table`, `geometric_mean_moved` of
    those models of which a source had changed, the `seconds` and `cpu_seconds` of all models
    together, the `limit` of the mean, the worst model, the mean
    against each other rival (above 1: auto is faster), the worst against the hand-written best.
    Over all: how often `auto` chose rightly, the fraction at which incremental stops to pay by
    model, statements and jobs of an incremental refresh at the most, and models that were wrong."""
    fractions = sorted({cell["fraction"] for cell in cells})
    return {
        "fractions": {
            f"{fraction:g}": _at([c for c in cells if c["fraction"] == fraction])
            for fraction in fractions
        },
        "choice": choice(cells),
        "break_even": {
            model: break_even(points(cells, model)) for model in dict.fromkeys(_models(cells))
        },
        "most_statements": _most(cells, "statements"),
        "most_jobs": _most(cells, "jobs"),
        "wrong": [_told(cell) for cell in cells if cell["right"] is False],
    }


def _told(cell: Cell) -> str:
    """Which rivals were wrong, as far as that was kept."""
    who = ", ".join(cell.get("wrong", ()))
    return f"{cell['model']} at {cell['fraction']:g}" + (f" ({who})" if who else "")


def _at(cells: Sequence[Cell]) -> dict[str, Any]:
    ratios = {cell["model"]: cell["ratio"] for cell in cells if cell["ratio"] is not None}
    moved = {c["model"] for c in cells if _kind(c) != "none"}
    worst = min(ratios, key=lambda model: ratios[model], default=None)
    best = against(cells, "best")
    return {
        "models": len(ratios),
        "geometric_mean": mean(ratios.values()),
        "geometric_mean_moved": mean(ratios[model] for model in ratios if model in moved),
        "seconds": together(cells, "seconds"),
        "cpu_seconds": together(cells, "cpu_seconds"),
        "limit": limit(cells),
        "worst": None if worst is None else {"model": worst, "ratio": ratios[worst]},
        "against": {
            rival: mean(against(cells, rival).values())
            for rival in dict.fromkeys(name for cell in cells for name in cell["rivals"])
            if rival != "auto"
        },
        "slowest_to_best": max((1 / ratio for ratio in best.values()), default=None),
    }


def together(cells: Sequence[Cell], figure: str) -> dict[str, float]:
    """By rival, a figure of all models together, of those that both `auto` and `table` have."""
    compared = [c["rivals"] for c in cells if {"auto", "table"} <= c["rivals"].keys()]
    return {name: sum(rivals[name][figure] for rivals in compared) for name in ("auto", "table")}


def limit(cells: Sequence[Cell]) -> dict[str, float] | None:
    """What the geometric mean would be if every refresh of a model that had moved took what the
    fastest incremental one took (`seconds`), with nothing to compute besides. None without one."""
    compared = [
        (c["rivals"]["table"]["seconds"], c["rivals"]["auto"]["seconds"], _kind(c))
        for c in cells
        if {"auto", "table"} <= c["rivals"].keys()
    ]
    fastest = min((auto for _, auto, kind in compared if kind == "incremental"), default=None)
    if fastest is None:
        return None
    ratios = (table / (auto if kind == "none" else fastest) for table, auto, kind in compared)
    return {"seconds": fastest, "geometric_mean": statistics.geometric_mean(ratios)}


def against(cells: Iterable[Cell], rival: str) -> dict[str, float]:
    """By model, how many times as fast as a rival `auto` is, of the medians."""
    return {
        cell["model"]: cell["rivals"][rival]["seconds"] / cell["rivals"]["auto"]["seconds"]
        for cell in cells
        if rival in cell["rivals"] and "auto" in cell["rivals"]
    }


def mean(ratios: Iterable[float]) -> float | None:
    """The geometric mean; None of nothing."""
    every = list(ratios)
    return statistics.geometric_mean(every) if every else None


def choice(cells: Iterable[Cell]) -> dict[str, Any]:
    """Of the cells where both ways were measured, those where `auto` took the faster one or one
    within TOLERANCE of it."""
    judged = {
        f"{cell['model']} at {cell['fraction']:g}": right
        for cell in cells
        if (right := chose_rightly(cell)) is not None
    }
    return {
        "cells": len(judged),
        "right": sum(judged.values()),
        "mistakes": [name for name, right in judged.items() if not right],
    }


def chose_rightly(cell: Cell) -> bool | None:
    """Whether `auto` chose rightly; None where nothing was to choose or was not measured."""
    actual: Mapping[str, float] = cell["actual"]
    taken = _kind(cell)
    if len(actual) < 2 or taken not in actual:
        return None
    # a query that is never incremental leaves no choice
    if cell["rivals"]["incremental"]["kind"] == "full":
        return None
    return actual[taken] <= TOLERANCE * min(actual.values())


def points(
    cells: Iterable[Cell], model: str, rival: str = "incremental"
) -> list[tuple[float, float]]:
    """A model's speed-up over `table` by changed fraction, in the fractions' order."""
    found = [
        (c["fraction"], c["rivals"]["table"]["seconds"] / c["rivals"][rival]["seconds"])
        for c in cells
        if c["model"] == model and rival in c["rivals"] and "table" in c["rivals"]
    ]
    return sorted(found)


def break_even(speedups: Sequence[tuple[float, float]]) -> float | None:
    """The changed fraction at which a falling speed-up first gets below 1, between two measured
    ones on logarithmic scales. None if it never does; the first fraction if it starts there."""
    for place, (fraction, speedup) in enumerate(speedups):
        if speedup >= 1:
            continue
        if place == 0:
            return fraction
        before, faster = speedups[place - 1]
        share = math.log(faster) / (math.log(faster) - math.log(speedup))
        return math.exp(math.log(before) + share * (math.log(fraction) - math.log(before)))
    return None


def _models(cells: Iterable[Cell]) -> list[str]:
    return [cell["model"] for cell in cells]


def _kind(cell: Cell) -> str | None:
    auto = cell["rivals"].get("auto")
    return None if auto is None else auto["kind"]


def _most(cells: Iterable[Cell], figure: str) -> dict[str, Any] | None:
    """The model whose incremental refresh had the most of something."""
    found = {
        f"{cell['model']} at {cell['fraction']:g}": cell["rivals"]["auto"][figure]
        for cell in cells
        if _kind(cell) == "incremental"
    }
    if not found:
        return None
    model = max(found, key=lambda name: found[name])
    return {"model": model, figure: found[model]}
