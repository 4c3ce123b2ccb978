"""Suites that refresh models by TPC-H's refresh sets, against their rivals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.chained import CHAINED
from benchmarks.contest import Contest, texts
from benchmarks.lab import SCHEMA, Lab
from benchmarks.models import tpch
from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.results import Cell
from benchmarks.rivals.every import RIVALS
from benchmarks.shapes import SHAPES
from benchmarks.suites.suite import Suite
from benchmarks.summary import summary
from benchmarks.tpch.changes import Changes
from benchmarks.tpch.data import generate, load

MODELS = {**SHAPES, **tpch(), **CHAINED}
QUICK = ("aggregate_many_groups", "keyed_join")
OVER_FRACTIONS = (
    *("filter", "aggregate_few_groups", "aggregate_many_groups", "min_max", "join_aggregate"),
    *("keyed_join", "semi_join", "newest_of_each", "q01", "q03", "q05", "q12"),
)


def measure(names: Sequence[str], options: Options, steps: Steps) -> Iterator[list[Cell]]:
    """The cells of a contest, one more fraction each time."""
    models = [MODELS[name] for name in options.models or names]
    rivals = [RIVALS[name] for name in options.rivals or RIVALS]
    generate(options.data, options.scale)
    steps.now("starting dbt and Spark")
    with Lab(
        options.folder, texts(models, rivals), options.heap, time_zone=options.time_zone
    ) as lab:
        steps.now("loading TPC-H")
        lab.send(load(options.data, SCHEMA, options.worn))
        changes = Changes(options.data, SCHEMA, options.near_scale)
        contest = Contest(lab, changes, models, rivals, steps, options.together)
        rounds = options.warm_up + options.rounds * len(options.fractions)
        steps.expect(contest.refreshes() * rounds)
        contest.build()
        if options.warm_up:
            contest.warm_up(options.fractions[0])
        cells: list[Cell] = []
        for place, fraction in enumerate(options.fractions, 1):
            last = place == len(options.fractions)
            found: list[Cell] = []
            for found in contest.cells(fraction, options.rounds, options.check and last):
                yield [*cells, *found]
            cells += found


REFRESHES = (
    Suite(
        "quick",
        "two shapes by every rival, checked against the query; a smoke test",
        partial(measure, QUICK),
        summary,
        {"scale": 0.01, "fractions": (0.01,), "rounds": 1, "warm_up": False, "check": True},
        models=MODELS,
    ),
    Suite(
        "shapes",
        "models that isolate one shape each, by every rival",
        partial(measure, tuple(SHAPES)),
        summary,
        {"check": True},
        models=MODELS,
    ),
    Suite(
        "tpch",
        "TPC-H's 22 queries in one run of dbt, ivm against tables",
        partial(measure, tuple(tpch())),
        summary,
        {"rivals": ("auto", "table"), "together": True},
        models=MODELS,
    ),
    Suite(
        "fractions",
        "a dozen models while 0.01 % to 50 % of the orders change; both ways, and what auto picks",
        partial(measure, OVER_FRACTIONS),
        summary,
        {
            "fractions": (0.0001, 0.001, 0.01, 0.05, 0.1, 0.5),
            "rivals": ("auto", "incremental", "full", "table"),
        },
        models=MODELS,
    ),
)
