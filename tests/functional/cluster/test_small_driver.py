"""Nothing of the data's size comes to the driver: its heap is far smaller than what changed
(`make cluster-test`)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.functional.processes import PROJECT, run
from tests.spark_cluster import SparkCluster

REPOSITORY = Path(__file__).parents[3]
ROWS = 1_000_000
MIB = 2**20
PROFILE = """
shop:
  target: dev
  outputs:
    dev:
      type: ivm_spark
      schema: shop
      threads: 2
      server_side_parameters:
        spark.driver.memory: 512m
        spark.sql.shuffle.partitions: "16"
"""
HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
MODELS = {
    "named": "select p.id, p.body, s.name from shop.pages as p "
    "join shop.sites as s on s.site = p.site",
    "greatest": "select site, count(*) as n, max(body) as last from shop.pages group by site",
}
SCHEMA = "models:\n" + "".join(
    f"  - {{name: {name}, data_tests: [equals_its_query]}}\n" for name in MODELS
)


@pytest.fixture
def own_cluster(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    start_of_spark: Callable[[], AbstractContextManager[None]],
) -> Iterator[SparkCluster]:
    if not request.config.getoption("--cluster"):
        pytest.skip("make cluster-test")
    with start_of_spark():
        cluster = SparkCluster(tmp_path, memory="2g")
        yield cluster
        cluster.stop()


def test_a_small_driver_refreshes_more_rows_than_it_can_hold(
    own_cluster: SparkCluster, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text(PROJECT)
    settings = "".join(f'        {key}: "{value}"\n' for key, value in own_cluster.settings.items())
    (tmp_path / "profiles.yml").write_text(PROFILE + settings)
    (tmp_path / "models" / "schema.yml").write_text(SCHEMA)
    for name, sql in MODELS.items():
        (tmp_path / "models" / f"{name}.sql").write_text(HEADER + sql)
    script = "tests.functional.cluster.small_driver"
    said = run(
        *(sys.executable, "-m", script, str(ROWS)),
        cwd=tmp_path,
        timeout=1200,
        PYTHONPATH=str(REPOSITORY),
    )
    (line,) = (line for line in said.splitlines() if line.startswith("TOLD "))
    told = json.loads(line.removeprefix("TOLD "))
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        request.config.get_terminal_writer().line(f"\n{told}")
    assert told["kinds"] == dict.fromkeys(MODELS, "incremental")
    assert told["tests"] == ["pass"]
    assert told["changed_bytes"] > 4 * told["heap_bytes"]
    assert told["python_bytes"] < 512 * MIB
