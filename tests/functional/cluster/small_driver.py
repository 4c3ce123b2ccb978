"""Views of much text, built and refreshed by a dbt process whose driver is small: `python -m
tests.functional.cluster.small_driver <rows>` in a project's folder; prints what happened as JSON.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner
from pyspark import SparkContext
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.functional.ivm.warehouse import FEED

# 2 KB that hardly compress.
TEXT = "concat_ws('', transform(sequence(1, 16), i -> sha2(concat(i, '-', id), 512)))"


def dbt(*arguments: str) -> list[Any]:
    result = dbtRunner().invoke([*arguments])
    if not result.success:
        raise RuntimeError(f"{result.exception or [r.message for r in result.result]}")
    return list(result.result)


def feed_bytes(spark: SparkSession, version: int) -> int:
    """Of the texts in the rows that changed since a version."""
    changed = f"select sum(length(body)) from table_changes('shop.pages', {version})"
    return int(spark.sql(changed).collect()[0][0])


def main(rows: int) -> None:
    output = yaml.safe_load(Path("profiles.yml").read_text())["shop"]["outputs"]["dev"]
    spark = SessionHandle(output["server_side_parameters"]).session
    spark.sql("create schema if not exists shop")
    spark.sql(f"create table shop.pages (id bigint, site bigint, body string) using delta {FEED}")
    spark.sql(f"create table shop.sites (site bigint, name string) using delta {FEED}")
    spark.sql("insert into shop.sites select id, concat('s', id) from range(100)")
    spark.sql(f"insert into shop.pages select id, id % 100, {TEXT} from range(1000)")
    dbt("run")
    spark.sql(f"insert into shop.pages select id, id % 100, {TEXT} from range(1000, {rows})")
    spark.sql("update shop.pages set body = reverse(body) where id % 4 = 0")
    refreshed = dbt("run")
    tested = dbt("test")
    context = SparkContext._active_spark_context
    assert context is not None
    told = {
        "heap_bytes": context._jvm.java.lang.Runtime.getRuntime().maxMemory(),  # type: ignore[union-attr]
        "python_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "changed_bytes": feed_bytes(spark, 2),
        "kinds": {r.node.name: r.adapter_response["refresh_kind"] for r in refreshed},
        "seconds": {r.node.name: round(r.execution_time, 1) for r in refreshed},
        "tests": sorted({str(r.status) for r in tested}),
    }
    sys.stdout.write("TOLD " + json.dumps(told) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
