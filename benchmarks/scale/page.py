"""The page on scale, in Markdown: what was fitted, how well it foresees, and what follows. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from benchmarks.report.table import Table, number, percent
from benchmarks.scale.costs import COUNTS, DRIVER, Costs, Point, fit, grown
from benchmarks.scale.workload import Workload

HEAD = """# At what scale

What a refresh costs where the data is larger than any machine that this was measured on: a model
with measured costs, checked against a size that it had not seen, and what it says of sources of
10 TB, states of 1 TB and 10,000 models. Written by `make scale` from the figures in
`benchmarks/results/scale`; the model is in `benchmarks/scale`.
"""
COSTS = """## The costs

Seconds of a refresh are those of the driver's one thread (statements, planning, Delta's commits)
and those that the cores of the executors share. Fitted, none below zero, to {n} incremental
refreshes at the scales {scales} of TPC-H on {cores} cores:
"""
CHECK = """## The check

Scale {largest} took no part in the fit. Its counts are foreseen from those of the two scales below
it, each as it grew between these, and its seconds from the counts.
"""
CHECKED = """The foreseen seconds are {low} to {high} times those measured, {middle} in the median;
from the counts as they were, which tests the costs alone, {low_counted} to {high_counted} times,
{middle_counted} in the median.
"""
LARGE = """## Sources of 10 TB, a state of 1 TB

100 billion facts of 100 bytes (10 TB), a partner of 10 billion rows, a state of 10 billion groups
of 100 bytes (1 TB), files of 10 million rows, {cores} cores, a refresh an hour. Near: the changed
rows are neighbours in tables that are clustered by their keys, as new orders and corrections of the
last days are. Scattered: one here, one there. A rebuild takes {rebuild}.
"""
LARGE_AFTER = """What dominates, and what the design does about it:

- **Near**: what changed itself. The ranges of the changed keys go into the scans of partner and
  state as literals, so that Delta's statistics leave out the files without them; large states are
  clustered by their key, and deletion vectors keep a changed group from being a rewritten file.
- **Scattered**: partner and state. Once every file holds a changed key, every file's key columns
  are read, whatever the layout, and ten times the change costs little more. Fewer and larger
  refreshes help, and so does `refresh_policy: auto`, which compares both ways by rows and rebuilds
  where that is cheaper.
- **1 % an hour**: a billion rows are work of their own.

Not in the model: files that are not in the system's cache, as those measured mostly were, a heap
that is too small for a join's hash tables, object storage's latency (each commit and each listing
of a log is some requests more), and how long Delta reads a log of many files: a table of 100
billion rows in files of 10 million has 10,000.
"""
MODELS = """## 10,000 models

Each costs the driver {driver} s when its sources have moved. Where nothing has moved a model runs
no Spark job in dbt's own process (through a server one, Delta's own that reads its state's
history), and {idle} s is what it is to take at the most (0.10 s of 100 models in a run, when it
still ran that job: [Benchmarks](benchmarks.md)). Neither grows with the number of
models, and a source's history is read once a run. What refreshes need beyond that is in the tables
above and is the executors'.
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
    """The whole page."""
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
        whose = "the driver's" if name in DRIVER else "a core's"
        rows.append((_CHANGED[name], number(costs.each[name] * unit), whose))
    return Table("Seconds", ("of", "seconds", "whose"), rows)


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
        foreseen = costs.seconds(grown(low, high, largest), point.cores)
        of_counts = costs.seconds(point.counts, point.cores)
        ratios.append(foreseen / point.seconds)
        counted.append(of_counts / point.seconds)
        seconds = (low.seconds, high.seconds, point.seconds, foreseen, of_counts)
        rows.append((point.model, percent(point.changed), *map(number, seconds)))
    scales = [f"scale {scale:g}" for scale in (*smaller[-2:], largest)]
    header = ("model", "changed", *scales, "foreseen", "from its counts")
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
    header = ("changed", *own, "all", "most")
    return Table("A refresh, by what it spends its time on", header, rows)


def _driver(costs: Costs) -> float:
    terms = costs.terms(TB.counts(), CORES)
    return sum(terms[name] for name in DRIVER)


def _models(driver: float) -> Table:
    rows = []
    for moved in (0.0, 0.1, 1.0):
        each = moved * driver + (1 - moved) * IDLE_SECONDS
        times = (_duration(MODELS_COUNT * each / threads) for threads in THREADS)
        rows.append((f"{percent(moved)} of the models' sources moved", *times))
    header = ("", *(f"threads: {threads}" for threads in THREADS))
    return Table(
        "A run of 10,000 models, with as many cores for the driver as threads", header, rows
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{number(seconds)} s"
    return f"{number(seconds / 60)} min" if seconds < 5400 else f"{number(seconds / 3600)} h"
