"""Tests that need a process without a Spark: each test has its own JVM."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.budget import only_long
from tests.functional.processes import run, write_project

MODEL = "{{ config(materialized='table') }} select 1 as id"

# A notebook's session: with Delta, with settings of its own, and made before dbt is.
SCRIPT = """
import sys

from dbt.cli.main import dbtRunner
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession

builder = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config(
        "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    )
)
spark = configure_spark_with_delta_pip(builder).getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "7")
spark.conf.set("spark.sql.ansi.enabled", "true")
spark.range(3).createOrReplaceTempView("mine")
settings = {row.key: row.value for row in spark.sql("set").collect()}

result = dbtRunner().invoke(["run"])
assert result.success, result.exception or result.result
assert {row.key: row.value for row in spark.sql("set").collect()} == settings
assert spark.table("mine").count() == 3
assert spark.table("analytics.m").count() == 1
assert SparkSession.active() is spark
print("untouched")
"""


@pytest.fixture(autouse=True)
def _alone(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with start_of_spark():
        yield


def test_the_profile_of_three_lines(tmp_path: Path) -> None:
    project = write_project(tmp_path, m=MODEL)
    output = run(sys.executable, "-m", "dbt.cli.main", "run", cwd=project)
    assert "Completed successfully" in output
    assert "WARN" not in output.replace("WARN=0", "")
    files = {path.name for path in project.iterdir()}
    assert {"metastore_db", "spark-warehouse"} <= files
    assert "derby.log" not in files
    assert (project / "logs" / "spark.log").stat().st_size > 0


@only_long
def test_a_session_that_somebody_else_made_is_untouched(tmp_path: Path) -> None:
    project = write_project(tmp_path, m=MODEL)
    assert "untouched" in run(sys.executable, "-c", SCRIPT, cwd=project)
