"""What is killed: `python -m tests.functional.kills.process <seed>` in a project's folder.

It changes the sources, runs dbt on them while a thread reads the views, and begins again. Before
each run it writes which rows a reader may see: for each view the old ones and the new ones. What
a reader sees else is noted as wrong; so is what this process finds when it starts, after the kill
of the one before it.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path
from threading import Thread
from typing import Any

import yaml
from dbt.cli.main import dbtRunner
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.credentials import IvmSparkCredentials
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.functional.kills.shop import CREATE, SCHEMA, VIEWS, changes, header, on_schema, texts
from tests.functional.kills.state import Rows, State


def session_of(output: dict[str, Any]) -> SparkSession:
    """A session on the Spark that dbt has with this target, which nobody uses any more."""
    credentials = IvmSparkCredentials.from_dict({**output, "schema": SCHEMA})
    parameters = credentials.server_side_parameters
    spark = SessionHandle(parameters, keep=credentials.keep_seconds).session
    # A Spark that stays may still be at a statement of the process that was killed.
    quiet = 0
    while quiet < 10:
        quiet = 0 if spark.sparkContext.statusTracker().getActiveJobsIds() else quiet + 1
        time.sleep(0.1)
    return spark


def rows(spark: SparkSession, sql: str) -> Rows:
    return Counter(tuple(row) for row in spark.sql(sql).collect())


def shown(spark: SparkSession, view: str) -> Rows | None:
    """What a view shows; None where there is none."""
    try:
        return rows(spark, f"select * from {SCHEMA}.{view}")
    except AnalysisException as error:
        if error.getCondition() == "TABLE_OR_VIEW_NOT_FOUND" and f"`{view}`" in str(error):
            return None
        raise


def look(spark: SparkSession, state: State, views: tuple[str, ...], when: str) -> dict[str, str]:
    """Read each view once and note what is wrong; whether each was seen old or new."""
    seen, before = {}, state.allowed()
    for view in views:
        try:
            now = shown(spark, view)
        except Exception as error:
            state.note("wrong", f"{when}: {view}: {str(error)[:500]}")
            continue
        # A slow read may have begun in the turn before.
        old, new = state.allowed()[view]
        if now not in (old, new, *before[view]):
            state.note("wrong", f"{when}: {view} shows {now}, neither {old} nor {new}")
        seen[view] = "same" if old == new else "old" if now == old else "new"
    return seen


def read_on(spark: SparkSession, state: State) -> None:
    """Read the views that exist by now, for ever."""
    while True:
        views = tuple(view for view, (old, _) in state.allowed().items() if old is not None)
        look(spark, state, views, "while a run went on")
        state.note("reads", len(views))
        time.sleep(0.1)


def prepare(spark: SparkSession, state: State, turn: int, dice: random.Random) -> None:
    """The next turn: another text, other rows, and what readers may see from now on."""
    state.unready()
    old = {view: shown(spark, view) for view in VIEWS}
    for view, sql in texts(turn).items():
        text = header(view) + on_schema(sql)
        Path("models", f"{view}.sql").write_text(text)
    for statement in changes(turn, dice):
        spark.sql(statement)
    old["first"] = None
    new = {view: rows(spark, on_schema(sql)) for view, sql in texts(turn).items()}
    state.allow({view: (old[view], new[view]) for view in VIEWS})


def check(spark: SparkSession, state: State) -> None:
    """After a whole run each view has to show the new rows."""
    for view, (_, new) in state.allowed().items():
        now = shown(spark, view)
        if now != new:
            state.note("wrong", f"after a whole run: {view} shows {now} and not {new}")


def main(seed: int) -> None:
    dice, state = random.Random(seed), State(Path("state"))
    output = yaml.safe_load(Path("profiles.yml").read_text())["shop"]["outputs"]["dev"]
    spark = session_of(output)
    for statement in CREATE:
        spark.sql(statement)
    if state.allowed():
        state.note("found", look(spark, state, tuple(state.allowed()), "after a kill"))
    reader: Thread | None = None
    while True:
        # The run that was killed is repeated half of the time, so that its remains are met.
        if reader is not None or not state.is_ready or dice.random() < 0.5:
            prepare(spark, state, state.next_turn(), dice)
        if reader is None:
            reader = Thread(target=read_on, args=(spark.newSession(), state), daemon=True)
            reader.start()
        state.note("running", seed)
        started = time.monotonic()
        result = dbtRunner().invoke(["run", "--quiet"])
        if not result.success:
            said = result.exception or [r.message for r in result.result]
            state.note("wrong", f"a run failed: {said}")
        state.note("ran", time.monotonic() - started)
        check(spark, state)


if __name__ == "__main__":
    main(int(sys.argv[1]))
