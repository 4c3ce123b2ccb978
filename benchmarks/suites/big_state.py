"""A small change of a large state against the same change of a small one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.contest import texts
from benchmarks.cost import Run
from benchmarks.lab import SCHEMA, Lab
from benchmarks.models import Model, node
from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.results import Cell, cell
from benchmarks.rivals.by_dbt import AUTO, TABLE
from benchmarks.suites.suite import Suite

TOUCHED = 1_000
PATTERNS = ("near", "scattered")
RIVALS = (AUTO, TABLE)


def model(groups: int) -> Model:
    """A count and a sum by a key of so many values, with the state clustered by the key."""
    return Model(
        f"groups_{groups}",
        f"select k, count(*) as n, sum(v) as total from {{{{ target.schema }}}}.facts_{groups} "
        "group by k",
        config={"liquid_clustered_by": ["k"]},
    )


def facts(groups: int) -> str:
    """The statement that creates a source with two rows of each key, in the keys' order."""
    return (
        f"create or replace table {SCHEMA}.facts_{groups} using delta tblproperties ("
        "delta.enableChangeDataFeed = true, delta.enableDeletionVectors = true) as "
        f"select id div 2 as k, cast(pmod(id * 7919, 1000) as decimal(15, 2)) as v "
        f"from range({2 * groups})"
    )


def touch(groups: int, pattern: str, round_: int) -> str:
    """The statement that changes the rows of TOUCHED keys: of neighbours, or of keys spread evenly
    over all. Raises ValueError where there are no more groups than that."""
    if groups <= TOUCHED:
        raise ValueError(f"a state must have more than {TOUCHED} groups, not {groups}")
    first = round_ * 17_077 % (groups - TOUCHED)
    apart = groups // TOUCHED
    where = {
        "near": f"k >= {first} and k < {first + TOUCHED}",
        "scattered": f"pmod(k, {apart}) = {round_ % apart} and k < {apart * TOUCHED}",
    }[pattern]
    return f"update {SCHEMA}.facts_{groups} set v = v + 1 where {where}"


def measure(options: Options, steps: Steps) -> Iterator[list[Cell]]:
    """One cell a size and pattern."""
    models = {groups: model(groups) for groups in options.groups}
    steps.now("starting dbt and Spark")
    with Lab(
        options.folder,
        texts(list(models.values()), RIVALS),
        options.heap,
        time_zone=options.time_zone,
    ) as lab:
        steps.expect(len(models) * len(PATTERNS) * (1 + options.rounds))
        for groups in models:
            steps.now(f"building {groups} groups")
            lab.send([facts(groups)])
            for rival in RIVALS:
                rival.build(lab, models[groups])
            # liquid clustering takes place when a table is optimized, not when it is filled
            lab.send([f"optimize {SCHEMA}.{lab.stored(node(models[groups].name, AUTO.name))}"])
        cells: list[Cell] = []
        round_ = 0
        for pattern in PATTERNS:
            runs: dict[int, dict[str, list[Run]]] = {
                groups: {rival.name: [] for rival in RIVALS} for groups in models
            }
            for turn in range(1 + options.rounds):
                round_ += 1
                for groups in models:
                    lab.send([touch(groups, pattern, round_)])
                    steps.now(f"{groups} groups, {pattern}")
                    for rival in RIVALS:
                        run = rival.refresh(lab, models[groups], {})
                        if turn:
                            runs[groups][rival.name].append(run)
                    steps.done(f"{groups} groups, {pattern}: {run.cost.seconds:.2f} s as a table")
            cells += [
                {
                    "groups": groups,
                    "pattern": pattern,
                    **cell(models[groups].name, TOUCHED / groups, runs[groups]),
                }
                for groups in models
            ]
            yield cells


def summary(cells: Sequence[Cell]) -> Mapping[str, Any]:
    """By pattern, the time of the largest state by that of the smallest, and their speed-ups."""
    found = {}
    for pattern in PATTERNS:
        of = sorted((c for c in cells if c["pattern"] == pattern), key=lambda c: c["groups"])
        if of:
            small, large = (c["rivals"]["auto"]["seconds"] for c in (of[0], of[-1]))
            found[pattern] = {
                "groups": [c["groups"] for c in of],
                "large_by_small": large / small,
                "speed_up": {str(c["groups"]): c["ratio"] for c in of},
            }
    return found


BIG_STATE = Suite(
    "big_state",
    "1000 touched groups of 100,000 and of 10 million",
    measure,
    summary,
    {"rounds": 3},
)
