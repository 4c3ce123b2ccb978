"""One of two dbt processes on the same tables: `python -m tests.functional.kills.rival <name>
<tables> <meeting> <rounds>` in a project's folder.

Each has a catalog of its own, in which the other's tables are by their location. In each round both
run dbt at once; `first` changes the sources before and, every other time, asks for a full refresh.
They meet, and write down what they find, in a folder of this machine.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.functional.kills.process import rows, shown
from tests.functional.kills.shop import FEED, SCHEMA, STEADY, on_schema
from tests.functional.kills.state import State

WAIT_SECONDS = 300


def wait_for(path: Path) -> None:
    give_up = time.monotonic() + WAIT_SECONDS
    while not path.exists():
        if time.monotonic() > give_up:
            raise TimeoutError(path)
        time.sleep(0.01)


def meet(folder: Path, name: str, where: str) -> None:
    """Go on when the other one is here too."""
    (folder / f"{where}.{name}").touch()
    for other in ("first", "second"):
        wait_for(folder / f"{where}.{other}")


def dbt_run(*flags: str) -> dict[str, dict[str, Any]]:
    result = dbtRunner().invoke(["run", *flags])
    if not result.success:
        raise RuntimeError(f"{result.exception or [r.message for r in result.result]}")
    return {r.node.name: r.adapter_response for r in result.result}


def create(spark: SparkSession, tables: str, is_first: bool) -> None:
    spark.sql(f"create schema if not exists {SCHEMA}")
    columns = {"facts": "(k string, v int)", "names": "(k string, name string)"}
    for table, schema in columns.items():
        given = f"{schema} using delta {FEED}" if is_first else "using delta"
        spark.sql(f"create table {SCHEMA}.{table} {given} location '{tables}/{table}'")
    if is_first:
        spark.sql(f"insert into {SCHEMA}.facts values ('a', 1), ('a', 2), ('b', 3)")
        spark.sql(f"insert into {SCHEMA}.names values ('a', 'A'), ('b', 'B')")


def commits(spark: SparkSession) -> dict[str, int]:
    return {
        view: spark.sql(f"describe history {SCHEMA}.{view}__ivm limit 1").collect()[0][0]
        for view in STEADY
    }


def main(name: str, tables: str, meeting: Path, rounds: int) -> None:
    state, is_first = State(meeting / "notes"), name == "first"
    output = yaml.safe_load(Path("profiles.yml").read_text())["shop"]["outputs"]["dev"]
    started = meeting / "started"
    if not is_first:
        wait_for(started)  # the first start on a machine fetches Delta's jars
    spark = SessionHandle(output["server_side_parameters"]).session
    started.touch()
    if is_first:
        create(spark, tables, is_first)
        dbt_run()
    meet(meeting, name, "built")
    if not is_first:
        create(spark, tables, is_first)
        for view in STEADY:
            path = f"{tables}/{view}__ivm"
            spark.sql(f"create table {SCHEMA}.{view}__ivm using delta location '{path}'")
    for turn in range(rounds):
        if is_first:
            spark.sql(f"insert into {SCHEMA}.facts values ('a', {turn}), ('k{turn}', 1)")
            spark.sql(f"delete from {SCHEMA}.facts where v = {turn - 3}")
        before = commits(spark)
        meet(meeting, name, f"ready{turn}")
        full = is_first and turn % 2 == 1
        responses = dbt_run(*(["--full-refresh"] if full else []))
        meet(meeting, name, f"ran{turn}")
        for view, sql in STEADY.items():
            now, wanted = shown(spark, view), rows(spark, on_schema(sql))
            if now != wanted:
                state.note("wrong", f"round {turn}, {name}: {view} shows {now} and not {wanted}")
        kinds = {view: response["refresh_kind"] for view, response in responses.items()}
        written = {view: number - before[view] for view, number in commits(spark).items()}
        state.note("rounds", {"turn": turn, "name": name, "kinds": kinds, "commits": written})
        meet(meeting, name, f"checked{turn}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
