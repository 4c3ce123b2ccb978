"""The page on scale, in Markdown: the fitted costs, a check, and what follows from them. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from benchmarks.report.table import Table, number, percent
from benchmarks.scale.costs import COUNTS, DRIVER, Costs, Point, fit, grown
from benchmarks.scale.workload import Workload

HEAD = """# At what scale

This page estimates what a refresh costs if its data is larger than any machine that was measured.
A cost model with measured costs was checked at a scale that it had not seen. The page applies it
to sources of 10 TB, states of 1 TB and 10,000 models. `make scale` writes the page from the figures
in `benchmarks/results/scale`. The cost model is in `benchmarks/scale`.
"""
COSTS = """## The costs

A refresh takes seconds of the driver's one thread (statements, planning, Delta's commits), and
seconds that the cores of the executors share. The costs were fitted, none below zero, to {n}
incremental refreshes at the scales {scales} of TPC-H on {cores} cores:
"""
CHECK = """## The check

Scale {largest} took no part in the fit. Its counts are predicted from those of the two scales below
it: each count grows as it grew between these. Its seconds are predicted from these counts.
"""
CHECKED = """The predicted seconds are {low} to {high} times the measured ones, {middle} in the
median. The measured counts test the costs alone: predicted from these, the seconds are
{low_counted} to {high_counted} times the measured ones, {middle_counted} in the median.
"""
LARGE = """## Sources of 10 TB, a state of 1 TB

The facts have 100 billion rows of 100 bytes (10 TB). Their partner in the join has 10 billion rows.
The state has 10 billion groups of 100 bytes (1 TB). Files have 10 million rows. A refresh runs
every hour on {cores} cores. A rebuild takes {rebuild}.

- **Near**: the changed rows are neighbours in tables that are clustered by their keys. New orders
  and corrections of the last days are like that.
- **Scattered**: the changed rows lie anywhere in the tables.
"""
LARGE_AFTER = """The largest parts, and what the design does about them:

- **Near**: the driver, or the change itself if it is large. The ranges of the changed keys go into
  the scans of partner and state as literals, so Delta's statistics rule out the files without them.
  Large states are clustered by their key. With deletion vectors, Delta does not rewrite a file for
  a changed group.
- **Scattered**: partner and state. Once every file holds a changed key, the refresh reads the key
  columns of every file, whatever the layout. From there on, ten times the change costs little more.
  Fewer and larger refreshes help. So does `refresh_policy: auto`, which compares both ways by rows
  and rebuilds if that is cheaper.
- **1 % an hour**: a billion changed rows are a lot of work in themselves.

The cost model leaves these out:

- files outside the system's cache (most of the measured ones were in it);
- a heap that is too small for a join's hash tables;
- the latency of object storage: each commit and each listing of a log takes some more requests;
- the time in which Delta reads a log of many files: a table of 100 billion rows in files of 10
  million rows has 10,000.
"""
MODELS = """## 10,000 models

A model whose sources changed costs the driver {driver} s. If no source changed, a model runs no
Spark job in dbt's own process. Through a server it runs one: Delta's own, which reads the history
of the state. Such a model should take at most {idle} s. It took 0.10 s in a run of 100 models, when
it still ran that job ([Benchmarks](benchmarks.md)). Neither cost grows with the number of models,
and a run reads the history of a source once. The rest of a refresh is the executors' work, as in
the tables above.
"""
CORES, IDLE_SECONDS, MODELS_COUNT = 256, 0.3, 10_000
CHANGES = (1e-5, 1e-4, 1e-3, 1e-2)
THREADS = (4, 16, 64)
TB = Workload(facts=100e9, partner=10e9, groups=10e9, changed=1, near=True)
_CHANGED = {
    "refreshes": "a refresh",
    "jobs": "a Spark job",
    "rows_read": "a million rows read",
    "rows_written": "a million rows written",
    "bytes_shuffled": "a MB shuffled",
}


def page(measured: Sequence[Point]) -> str:
    """Return the whole page."""
    return "\n".join(part.rstrip() + "\n" for part in _parts(measured))


def _parts(measured: Sequence[Point]) -> Iterator[str]:
    *smaller, largest = sorted({point.scale for point in measured})
    seen = [point for point in measured if point.scale < largest]
    costs = fit(seen)
    yield HEAD
    scales = " and ".join(f"{scale:g}" for scale in smaller)
    yield COSTS.format(n=len(seen), scales=scales, cores=seen[0].cores)
    yield _costs(costs).markdown()
    yield CHECK.format(largest=f"{largest:g}")
    yield from _check(measured, smaller, largest, costs)
    rebuild = costs.seconds(TB.rebuild(), CORES)
    yield LARGE.format(cores=CORES, rebuild=_duration(rebuild))
    yield _large(costs).markdown()
    yield LARGE_AFTER
    driver = _driver(costs)
    yield MODELS.format(driver=number(driver), idle=IDLE_SECONDS)
    yield _models(driver).markdown()


def _costs(costs: Costs) -> Table:
    rows = []
    for name in COUNTS:
        unit = 1 if name in DRIVER else 1e6
        spent_by = "the driver" if name in DRIVER else "one core"
        rows.append((_CHANGED[name], number(costs.each[name] * unit), spent_by))
    return Table("Seconds", ("cost of", "seconds", "spent by"), rows)


def _check(
    measured: Sequence[Point], smaller: Sequence[float], largest: float, costs: Costs
) -> Iterator[str]:
    found = {(point.model, point.changed, point.scale): point for point in measured}
    rows, ratios, counted = [], [], []
    for point in measured:
        before = [found.get((point.model, point.changed, scale)) for scale in smaller[-2:]]
        if point.scale != largest or None in before:
            continue
        low, high = before
        assert low is not None and high is not None
        predicted = costs.seconds(grown(low, high, largest), point.cores)
        of_counts = costs.seconds(point.counts, point.cores)
        ratios.append(predicted / point.seconds)
        counted.append(of_counts / point.seconds)
        seconds = (low.seconds, high.seconds, point.seconds, predicted, of_counts)
        rows.append((point.model, percent(point.changed), *map(number, seconds)))
    scales = [f"scale {scale:g}" for scale in (*smaller[-2:], largest)]
    header = ("model", "changed", *scales, "predicted", "from measured counts")
    yield Table("Seconds of a refresh", header, rows).markdown()
    yield CHECKED.format(
        low=number(min(ratios)),
        high=number(max(ratios)),
        middle=number(statistics.median(ratios)),
        low_counted=number(min(counted)),
        high_counted=number(max(counted)),
        middle_counted=number(statistics.median(counted)),
    )


def _large(costs: Costs) -> Table:
    rows = []
    for near in (True, False):
        for changed in CHANGES:
            workload = Workload(TB.facts, TB.partner, TB.groups, changed, near)
            parts = workload.parts()
            terms = costs.terms(workload.counts(), CORES)
            read = {
                name: terms["rows_read"] * parts[name] / workload.counts()["rows_read"]
                for name in ("feed", "partner", "state")
            }
            own = {
                "driver": sum(terms[name] for name in DRIVER),
                "change": read["feed"] + terms["bytes_shuffled"],
                "partner": read["partner"],
                "state": read["state"],
                "writing": terms["rows_written"],
            }
            most = max(own, key=lambda name: own[name])
            where = "near" if near else "scattered"
            shown = map(_duration, (*own.values(), sum(own.values())))
            rows.append((f"{percent(changed)}, {where}", *shown, most))
    header = ("changed", *own, "total", "largest part")
    return Table("The parts of a refresh", header, rows)


def _driver(costs: Costs) -> float:
    terms = costs.terms(TB.counts(), CORES)
    return sum(terms[name] for name in DRIVER)


def _models(driver: float) -> Table:
    rows = []
    for moved in (0.0, 0.1, 1.0):
        each = moved * driver + (1 - moved) * IDLE_SECONDS
        times = (_duration(MODELS_COUNT * each / threads) for threads in THREADS)
        rows.append((f"sources of {percent(moved)} of the models changed", *times))
    header = ("", *(f"threads: {threads}" for threads in THREADS))
    return Table(
        "A run of 10,000 models, with as many cores for the driver as threads", header, rows
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{number(seconds)} s"
    return f"{number(seconds / 60)} min" if seconds < 5400 else f"{number(seconds / 3600)} h"
