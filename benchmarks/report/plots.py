"""The plots of all results, as PNG files."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from benchmarks.cost import KINDS
from benchmarks.report.table import percent
from benchmarks.results import Cell, Result
from benchmarks.summary import mean, points

DPI = 110
LIGHT, DARK = "#b8c4d0", "#1f4e79"
OTHER = "#c8553d"
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
}
PARTS = (*(kind for kind in KINDS if kind != "other"), "other", "python")
"""The parts of a refresh, in the order in which the bars stack them."""


def draw(results: Sequence[Result], folder: Path) -> list[tuple[str, Path]]:
    """Draw every plot that the results allow, and return captions and files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    with mpl.rc_context(STYLE):
        for name, caption, figure in _figures(results):
            path = folder / f"{name}.png"
            figure.savefig(path, dpi=DPI, bbox_inches="tight")
            plt.close(figure)
            drawn.append((caption, path))
    return drawn


def _figures(results: Sequence[Result]) -> Iterator[tuple[str, str, Figure]]:
    for result in results:
        scale = f"sf{result.scale:g}"
        if result.suite not in _OTHERS and len({c["fraction"] for c in result.cells}) > 1:
            caption = f"Speed-up by changed fraction, scale factor {result.scale:g}"
            yield f"speedup_by_fraction_{scale}", caption, _by_fraction(result.cells)
        if result.suite == "shapes":
            caption = f"The parts of a refresh, scale factor {result.scale:g}"
            yield f"breakdown_{scale}", caption, _breakdown(result.cells)
        if result.suite == "long_run":
            yield f"long_run_{scale}", "Many refreshes in a row", _long_run(result.cells)
    for suite in ("tpch", "shapes"):
        scales = sorted((r for r in results if r.suite == suite), key=lambda result: result.scale)
        if len({result.scale for result in scales}) > 1:
            yield f"time_by_scale_{suite}", f"Time by scale, {suite}", _by_scale(scales)


_OTHERS = ("layers", "many_models", "long_run", "big_state")


def _by_fraction(cells: Sequence[Cell]) -> Figure:
    """Draw the speed-up over a table: always incremental at the left, `auto` at the right."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.5), sharey=True)
    for axes, rival, title in zip(
        panels, ("incremental", "auto"), ("always incremental", "auto"), strict=True
    ):
        lines = {
            model: line
            for model in dict.fromkeys(c["model"] for c in cells)
            if (line := points(cells, model, rival))
        }
        for line in lines.values():
            axes.plot(*zip(*line, strict=True), color=LIGHT, linewidth=1, zorder=2)
        _name_ends(axes, lines)
        fractions = sorted({fraction for line in lines.values() for fraction, _ in line})
        means = [
            mean(dict(line)[f] for line in lines.values() if f in dict(line)) for f in fractions
        ]
        axes.plot(fractions, means, color=DARK, linewidth=2.5, label="geometric mean", zorder=3)
        axes.axhline(1, color=OTHER, linestyle="--", linewidth=1.2, label="break-even", zorder=1)
        axes.set(xscale="log", yscale="log", title=title, xlabel="changed fraction of the orders")
        axes.set_xticks(fractions, [percent(f) for f in fractions], fontsize=8)
        _plain_numbers(axes)
    panels[0].set_ylabel("times as fast as a table")
    panels[1].legend(loc="upper right")
    return figure


def _name_ends(axes: Axes, lines: dict[str, list[tuple[float, float]]]) -> None:
    """Write the names of the fastest and the slowest model at the left."""
    if not lines:
        return
    ends = sorted(lines, key=lambda model: lines[model][0][1])
    for model in {ends[0], ends[-1]}:
        axes.annotate(model, lines[model][0], xytext=(4, 4), textcoords="offset points", fontsize=8)


def _by_scale(results: Sequence[Result]) -> Figure:
    """Draw the seconds of a refresh, and the geometric mean over the models of every scale."""
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    least = {r.scale: min(c["fraction"] for c in r.cells) for r in results}
    found: dict[float, dict[str, dict[str, Any]]] = {
        r.scale: {c["model"]: c["rivals"] for c in r.cells if c["fraction"] == least[r.scale]}
        for r in results
    }
    common = set.intersection(*(set(models) for models in found.values()))
    for rival, colour, name in (("table", OTHER, "table"), ("auto", DARK, "ivm")):
        for model in sorted(common):
            axes.plot(
                list(found),
                [found[scale][model].get(rival, {}).get("seconds") for scale in found],
                color=colour,
                alpha=0.15,
                linewidth=1,
            )
        means = [
            mean(found[scale][m][rival]["seconds"] for m in common if rival in found[scale][m])
            for scale in found
        ]
        axes.plot(list(found), means, color=colour, linewidth=2.5, marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="scale factor", ylabel="seconds of a refresh")
    axes.set_xticks(list(found), [f"{scale:g}" for scale in found])
    _plain_numbers(axes)
    axes.set_title(
        f"geometric mean of {len(common)} models, {percent(max(least.values()))} changed"
    )
    axes.legend()
    return figure


def _breakdown(cells: Sequence[Cell]) -> Figure:
    """Draw the seconds of one refresh by kind of statement, one bar for each model."""
    least = min(cell["fraction"] for cell in cells)
    bars = {
        cell["model"]: cell["rivals"]["auto"]["breakdown"]
        for cell in reversed(cells)
        if cell["fraction"] == least and "auto" in cell["rivals"]
    }
    figure, axes = plt.subplots(figsize=(9, 0.35 * len(bars) + 1.5))
    parts = [part for part in PARTS if any(part in spent for spent in bars.values())]
    colours = mpl.colormaps["tab20"].colors
    left = [0.0] * len(bars)
    for part in parts:
        seconds = [spent.get(part, 0.0) for spent in bars.values()]
        colour = "#d9d9d9" if part == "python" else colours[PARTS.index(part) * 2 % 20]
        axes.barh(list(bars), seconds, left=left, label=part, color=colour, height=0.7)
        left = [before + more for before, more in zip(left, seconds, strict=True)]
    axes.set(xlabel=f"seconds of a refresh, {percent(least)} of the orders changed")
    axes.grid(axis="y", visible=False)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _long_run(cells: Sequence[Cell]) -> Figure:
    """Draw the seconds and the live files by number of the refresh."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 4))
    for model in dict.fromkeys(cell["model"] for cell in cells):
        of = [cell for cell in cells if cell["model"] == model]
        numbers = [cell["refresh"] for cell in of]
        panels[0].plot(numbers, _smooth([cell["seconds"] for cell in of]), label=model)
        panels[1].plot(numbers, [cell["files"] for cell in of], label=model)
    panels[0].set(xlabel="refresh", ylabel="seconds, median of 9", ylim=(0, None))
    panels[1].set(xlabel="refresh", ylabel="data files of the state", ylim=(0, None))
    panels[0].legend(fontsize=8)
    return figure


def _smooth(values: Sequence[float], reach: int = 4) -> list[float]:
    """Return the median of each value and up to `reach` values on both sides."""
    return [
        statistics.median(values[max(0, place - reach) : place + reach + 1])
        for place in range(len(values))
    ]


def _plain_numbers(axes: Axes) -> None:
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
