"""Many models in one run: does a model's time grow with their number, and is a source's history
read once a run?"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.cost import Statement
from benchmarks.lab import SCHEMA, Lab
from benchmarks.meter import metered
from benchmarks.models import Model, node
from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.results import Cell
from benchmarks.rivals.by_dbt import AUTO
from benchmarks.shapes import CUSTOMER, LINEITEM, ORDERS
from benchmarks.suites.suite import Suite
from benchmarks.tpch.changes import Changes
from benchmarks.tpch.data import TABLES, generate, load

_HISTORY = re.compile(r"describe history\W+\w+\W+(\w+)", re.IGNORECASE)
_QUERIES = (
    f"select o_orderpriority, pmod(o_custkey, %d) as part, count(*) as n from {ORDERS} "
    "group by o_orderpriority, pmod(o_custkey, %d)",
    f"select pmod(l_suppkey, %d) as part, sum(l_extendedprice) as price from {LINEITEM} "
    "group by pmod(l_suppkey, %d)",
    f"select c_nationkey, pmod(c_custkey, %d) as part, sum(c_acctbal) as balance from {CUSTOMER} "
    "group by c_nationkey, pmod(c_custkey, %d)",
    f"select c_mktsegment, count(*) as n, sum(o_totalprice) as price from {ORDERS} "
    f"join {CUSTOMER} on c_custkey = o_custkey where pmod(o_custkey, %d) < %d "
    "group by c_mktsegment",
    f"select o_orderstatus, count(*) as n, sum(l_quantity) as quantity from {LINEITEM} "
    f"join {ORDERS} on o_orderkey = l_orderkey where pmod(l_suppkey, %d) < %d "
    "group by o_orderstatus",
)


def models(count: int) -> list[Model]:
    """So many different models; three of five read the orders."""
    return [
        Model(f"m{number:04}", _QUERIES[number % len(_QUERIES)] % (number + 2, number + 2))
        for number in range(count)
    ]


def histories(sent: Sequence[Statement]) -> dict[str, int]:
    """How often the history of each source was read."""
    read = [found.group(1) for s in sent if (found := _HISTORY.match(s.text)) is not None]
    return {table: read.count(table) for table in TABLES if table in read}


def measure(options: Options, steps: Steps) -> Iterator[list[Cell]]:
    """For a tenth of the models, half of them and all of them: nothing moved, one source moved."""
    every = models(options.count)
    texts = {name: text for model in every for name, text in AUTO.texts(model).items()}
    counts = sorted({max(1, options.count // 10), max(1, options.count // 2), options.count})
    generate(options.data, options.scale)
    steps.now("starting dbt and Spark")
    with Lab(options.folder, texts, options.heap, time_zone=options.time_zone) as lab:
        changes = Changes(options.data, SCHEMA, options.near_scale)
        lab.send(load(options.data, SCHEMA))
        steps.expect(len(counts) * 2 * (1 + options.rounds))
        steps.now(f"building {options.count} models")
        _run(lab, every)
        cells: list[Cell] = []
        round_ = 0
        for count in counts:
            for moved in (None, "orders"):
                runs = []
                for turn in range(1 + options.rounds):
                    round_ += 1
                    if moved is not None:
                        lab.send(changes.orders_moved(options.fractions[0], round_))
                    runs.append(_run(lab, every[:count]))
                    steps.done(
                        f"{count} models, {moved or 'nothing'} moved: {runs[-1]['seconds']:.1f} s"
                    )
                    if turn == 0:
                        runs.clear()
                middle = sorted(runs, key=lambda run: run["seconds"])[(len(runs) - 1) // 2]
                cells.append({"models": count, "moved": moved, **middle})
                yield cells


def _run(lab: Lab, of: Sequence[Model]) -> dict[str, Any]:
    """One `dbt run` of the models: seconds of all and by model, statements and jobs of all."""
    with metered() as meter:
        results = lab.dbt("run", "--select", *(node(m.name, AUTO.name) for m in of)).results
    seconds = [result.execution_time for result in results]
    read = histories(meter.cost.sent)
    return {
        "seconds": meter.cost.seconds,
        "seconds_a_model": statistics.mean(seconds),
        "slowest_model": max(seconds),
        "seconds_of_moved": statistics.mean(
            [r.execution_time for r in results if r.adapter_response["refresh_kind"] != "none"]
            or [0.0]
        ),
        "statements": meter.cost.statements,
        "statements_a_model": meter.cost.statements / len(of),
        "jobs": meter.cost.jobs,
        "histories": read,
        "breakdown": meter.cost.breakdown,
        "kinds": {
            kind: sum(r.adapter_response["refresh_kind"] == kind for r in results)
            for kind in ("none", "incremental", "full", "initial")
        },
    }


def summary(cells: Sequence[Cell]) -> Mapping[str, Any]:
    """How the time of a model grows from the fewest to the most models, and how often a source's
    history was read in one run at the most."""
    found: dict[str, Any] = {}
    for moved in (None, "orders"):
        of = sorted((c for c in cells if c["moved"] == moved), key=lambda cell: cell["models"])
        if of:
            found[f"{moved or 'nothing'}_moved"] = {
                "seconds_a_model": of[-1]["seconds_a_model"],
                "growth": of[-1]["seconds_a_model"] / of[0]["seconds_a_model"],
                "statements_a_model": of[-1]["statements_a_model"],
                "jobs": of[-1]["jobs"],
                "histories_of_a_source": max(of[-1]["histories"].values(), default=0),
            }
    return found


MANY_MODELS = Suite(
    "many_models",
    "100 models in a run, with nothing moved and with one source moved",
    measure,
    summary,
    {"scale": 0.01, "rounds": 2},
)
