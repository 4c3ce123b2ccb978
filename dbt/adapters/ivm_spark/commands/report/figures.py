"""The figures of the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.ticker import MaxNLocator

from dbt.adapters.ivm_spark.commands.explain.record import Record
from dbt.adapters.ivm_spark.commands.report.drawing import (
    CHANGED,
    FAINT,
    GAINED,
    INK,
    LOST,
    SERIES,
    bare_axes,
    style,
    svg,
)
from dbt.adapters.ivm_spark.commands.report.lineage import Place, lineage_of
from dbt.adapters.ivm_spark.commands.report.reported import ReportedModel, reads
from dbt.adapters.ivm_spark.commands.spoken import bare, duration
from dbt.adapters.ivm_spark.plan.plan import RefreshKind

KINDS = (
    (RefreshKind.INCREMENTAL, "o", CHANGED),
    (RefreshKind.FULL, "s", LOST),
    (RefreshKind.INITIAL, "^", FAINT),
)
"""Each kind has its own shape too, for those who can't tell the colours apart."""
_LETTER, _ROW, _SPACE, _GAP = 0.07, 0.74, 0.22, 0.55
"""In inches: a letter's width, a row of the lineage, the space between rows and between columns."""


def lineage(models: Sequence[ReportedModel]) -> str:
    """Draw what reads what, with the technique and the lag of each model."""
    known = {model.facts.view: model for model in models}
    found = lineage_of(reads(models))
    spots = [*found.nodes.values(), *(place for line in found.lines for place in line)]
    width = _LETTER * max(len(line) for node in found.nodes for line in _lines(node, known)) + 0.3
    columns, rows = (1 + max(spot[axis] for spot in spots) for axis in (0, 1))
    size = (columns * (width + _GAP) - _GAP + 0.1, rows * _ROW)
    with style("lineage"):
        figure = Figure(figsize=size)
        axes = bare_axes(figure)
        axes.set_xlim(0, size[0])
        axes.set_ylim(size[1], 0)
        for line in found.lines:
            _line(axes, [_corner(place, width) for place in line], width)
        for node, place in found.nodes.items():
            _box(axes, _corner(place, width), width, _lines(node, known), node in known)
        return svg(figure, "Lineage of the ivm models")


def refreshes(model: ReportedModel) -> str:
    """Draw the times of a model's refreshes, and the rows that the incremental ones changed."""
    name = bare(model.facts.view)
    with style(name):
        figure = Figure(figsize=(9.6, 2.3), layout="constrained")
        times, rows = figure.subplots(1, 2, width_ratios=(3, 2))
        _draw_times(times, model.records)
        _draw_rows(rows, model.records)
        return svg(figure, f"Refreshes of {name}")


def reasons(models: Sequence[ReportedModel]) -> str:
    """Draw how many models were rebuilt on each day, by the reason."""
    by_reason: dict[str, Counter[float]] = defaultdict(Counter)
    for model in models:
        for record in model.rebuilt:
            by_reason[record.reason or "no reason"][float(int(_day(record.started_at)))] += 1
    with style("reasons"):
        figure = Figure(figsize=(9.6, 2.3), layout="constrained")
        axes = figure.subplots()
        below: Counter[float] = Counter()
        for place, (reason, counts) in enumerate(sorted(by_reason.items())):
            days = sorted(counts)
            axes.bar(
                [day + 0.5 for day in days],
                [counts[day] for day in days],
                bottom=[below[day] for day in days],
                color=SERIES[place % len(SERIES)],
                width=0.8,
                label=f"{reason} ({sum(counts.values())})",
            )
            below.update(counts)
        axes.set_title("full rebuilds a day", loc="left", fontsize=9)
        _by_time(axes)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), handlelength=0.8)
        return svg(figure, "Full rebuilds by reason")


def _lines(node: str, known: Mapping[str, ReportedModel]) -> list[str]:
    model = known.get(node)
    if model is None:
        return [bare(node), "table"]
    lag = model.lag
    late = "not built" if lag is None else f"lag {duration(lag)}" if lag else "up to date"
    return [bare(node), " · ".join(filter(None, (model.technique, late)))]


def _box(
    axes: Axes, corner: tuple[float, float], width: float, lines: Sequence[str], model: bool
) -> None:
    x, y = corner
    box = FancyBboxPatch(
        (x, y),
        width,
        _ROW - _SPACE,
        boxstyle="round,pad=0,rounding_size=0.06",
        edgecolor=CHANGED if model else FAINT,
        facecolor="none",
        linewidth=1.4 if model else 0.9,
    )
    axes.add_patch(box)
    for place, (line, weight) in enumerate(zip(lines, ("bold", "normal"), strict=True)):
        axes.text(x + 0.12, y + 0.2 + 0.2 * place, line, weight=weight)


def _corner(place: Place, width: float) -> tuple[float, float]:
    return 0.05 + place[0] * (width + _GAP), 0.05 + place[1] * _ROW


def _line(axes: Axes, corners: Sequence[tuple[float, float]], width: float) -> None:
    """Draw a line from the first corner's box to the last's.

    It starts at the right edge of the first, passes over both edges of those on the way, and ends
    at the left edge of the last.
    """
    middle = (_ROW - _SPACE) / 2
    points = [(x + edge, y + middle) for x, y in corners for edge in (0.0, width)][1:-1]
    axes.plot(*zip(*points, strict=True), color=FAINT, linewidth=0.9, solid_joinstyle="round")
    axes.plot(*points[-1], marker=5, color=FAINT, markersize=5)


def _draw_times(axes: Axes, records: Sequence[Record]) -> None:
    axes.set_title("seconds", loc="left", fontsize=9)
    for kind, marker, colour in KINDS:
        found = [r for r in records if r.kind == kind.value and r.started_at]
        if found:
            axes.plot(
                [_day(r.started_at) for r in found],
                [r.seconds for r in found],
                marker,
                color=colour,
                markersize=5,
                label=f"{kind.value} ({len(found)})",
            )
    _by_time(axes)
    axes.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=3, handletextpad=0.1, columnspacing=1
    )


def _by_time(axes: Axes) -> None:
    axes.xaxis_date()
    axes.set_ylim(bottom=0)
    locator = AutoDateLocator(maxticks=7)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    axes.margins(x=0.03)
    axes.grid(axis="y", color=FAINT, alpha=0.25)


def _draw_rows(axes: Axes, records: Sequence[Record]) -> None:
    axes.set_title("rows changed", loc="left", fontsize=9)
    found = [r for r in records if r.kind == RefreshKind.INCREMENTAL.value]
    if not found:
        axes.set_axis_off()
        axes.text(0, 0.5, "No incremental refresh yet.", transform=axes.transAxes, color=INK)
        return
    numbers = [r.refresh for r in found]
    below = [0] * len(found)
    for label, colour, counts in (
        ("inserted", GAINED, [r.rows_inserted for r in found]),
        ("updated", CHANGED, [r.rows_updated for r in found]),
        ("deleted", LOST, [r.rows_deleted for r in found]),
    ):
        axes.bar(numbers, counts, bottom=below, color=colour, width=0.8, label=label)
        below = [sum(pair) for pair in zip(below, counts, strict=True)]
    axes.set_xlabel("refresh", loc="right")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.grid(axis="y", color=FAINT, alpha=0.25)
    axes.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=3, handlelength=0.8, columnspacing=1
    )


def _day(text: str) -> float:
    """Return a time as matplotlib counts it."""
    return float(date2num(datetime.fromisoformat(text)))
