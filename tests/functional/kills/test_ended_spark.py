"""Spark's own process ends under dbt, as when the system is out of memory."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.budget import only_long
from tests.functional.processes import run, write_project

MODEL = """{{ config(materialized='ivm') }}
select id % 2 as k, count(*) as n, sum(length(sha2(cast(id as string), 512))) as total
from range(60000000) group by 1"""
SMALL = MODEL.replace("60000000", "60")
SCRIPT = """
import os, signal, sys, threading, time
from dbt.cli.main import dbtRunner
from pyspark import SparkContext

def end_spark():
    while getattr(SparkContext._active_spark_context, "_jsc", None) is None:
        time.sleep(0.2)
    context = SparkContext._active_spark_context
    process = context._jvm.java.lang.ProcessHandle.current().pid()
    while not context._jsc.sc().statusTracker().getActiveStageIds():
        time.sleep(0.2)
    os.kill(process, signal.SIGKILL)

threading.Thread(target=end_spark, daemon=True).start()
result = dbtRunner().invoke(["run"])
for each in result.result:
    print("MESSAGE", each.status, each.message)
os._exit(0)
"""


@pytest.fixture(autouse=True)
def _alone(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with start_of_spark():
        yield


@only_long
def test_a_dead_spark_gives_one_clear_error_and_dbt_retry_recovers(tmp_path: Path) -> None:
    project = write_project(tmp_path, big=MODEL)
    said = run(sys.executable, "-c", SCRIPT, cwd=project)
    assert "MESSAGE error" in said
    assert "Spark's process has ended" in said
    assert "Traceback" not in said
    (project / "models" / "big.sql").write_text(SMALL)
    said = run(sys.executable, "-m", "dbt.cli.main", "retry", cwd=project)
    assert "Completed successfully" in said
