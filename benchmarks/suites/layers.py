"""A brokerage in layers: whole runs of dbt over bronze, silver and gold, ivm against tables."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.brokerage.changes import Round
from benchmarks.brokerage.data import SOURCES_YML, load
from benchmarks.brokerage.figures import BUILD, CHANGE, IDLE, Turn, cells, summary
from benchmarks.brokerage.models import TEXTS, model, ordered
from benchmarks.brokerage.project import Project
from benchmarks.brokerage.size import Size
from benchmarks.contest import texts
from benchmarks.lab import SCHEMA, Lab
from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.results import Cell
from benchmarks.rivals.by_dbt import AUTO, FULL, INCREMENTAL, TABLE
from benchmarks.suites.suite import Suite

FORMS = {form.name: form for form in (AUTO, INCREMENTAL, FULL, TABLE)}
"""The forms in which a model can be measured; `auto` and `table` always are."""


def measure(options: Options, steps: Steps) -> Iterator[list[Cell]]:
    """Measure the first build, rounds of changes at each fraction, and rounds without a change.

    Stops after the first turn in which an ivm model differs from its table.
    """
    size = Size(options.rows)
    models = [model(name) for name in ordered(options.models)]
    named = {AUTO.name, TABLE.name, *(options.rivals or ())}
    forms = [form for name, form in FORMS.items() if name in named]
    steps.now("starting dbt and Spark")
    with Lab(
        options.folder,
        texts(models, forms),
        options.heap,
        sources=SOURCES_YML,
        time_zone=options.time_zone,
    ) as lab:
        steps.now(f"loading sources of {size.rows:,} rows")
        lab.send(load(size, SCHEMA))
        project = Project(lab, models, forms, steps)
        counted = 1 + options.rounds * (len(options.fractions) + 1)
        steps.expect(len(forms) * (counted + 2 * options.warm_up))
        turns: dict[tuple[str, float], list[Turn]] = {}
        for phase, fraction, turn, counts in _turns(project, size, options):
            if counts or project.wrong:
                turns.setdefault((phase, fraction), []).append(turn)
                yield [c for (p, f), of in turns.items() for c in cells(p, f, of)]
            if project.wrong:
                return


def _turns(
    project: Project, size: Size, options: Options
) -> Iterator[tuple[str, float, Turn, bool]]:
    """Yield each turn with its phase, its fraction and whether it counts.

    The first build and the first change warm the process up and do not count. What the first build
    has built is dropped and built again.
    """
    if options.warm_up:
        yield BUILD, 0.0, project.turn(BUILD, f"{BUILD}, warming up"), False
        project.drop()
    yield BUILD, 0.0, project.turn(BUILD, BUILD), True
    number, day = 0, size.days
    counts = [False] * options.warm_up + [True] * options.rounds
    for fraction in options.fractions:
        for counted in counts:
            number += 1
            round_ = Round(size, number, fraction, day)
            day += round_.days
            what = f"{fraction:.2%} changed, round {number}"
            yield CHANGE, fraction, project.turn(CHANGE, what, round_), counted
        counts = [True] * options.rounds
    for number in range(1, options.rounds + 1):
        yield IDLE, 0.0, project.turn(IDLE, f"{IDLE}, round {number}"), True


LAYERS = Suite(
    "layers",
    f"{len(TEXTS)} models in bronze, silver and gold, built on each other, ivm against tables",
    measure,
    summary,
    {"fractions": (0.001, 0.005)},
    sized_by="rows",
    models=tuple(TEXTS),
    rivals=tuple(FORMS),
)
