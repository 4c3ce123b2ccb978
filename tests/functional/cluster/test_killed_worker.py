"""A worker is killed amid a refresh, round after round (`make cluster-test`)."""

from __future__ import annotations

import threading
import time

import pytest

from dbt.adapters.ivm_spark.session.activity import Activity, watch
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds
from tests.spark_cluster import SparkCluster

ROUNDS, ROWS, PATIENCE = 4, 60_000, 120.0
# Each row takes about 0.1 ms to read, so that a refresh is long enough to be killed in.
SLOW = "length(sha2(repeat(cast(v as string), 4000), 512))"
MODELS = {
    "sums": f"select k, count(*) as n, sum(v) as total, max({SLOW}) as width from @.facts "
    "group by k",
    "named": f"select f.v, n.name, {SLOW} as width from @.facts as f "
    "join @.names as n on f.k = n.k",
    "ranked": f"select k, v, rank() over (partition by k order by v) as place, {SLOW} as width "
    "from @.facts",
}
CHANGE = (
    f"insert into facts select id % 100, 1000 + id from range({ROWS})",
    "update facts set v = v + 1 where v % 7 = 0",
    "delete from facts where v % 11 = 0",
)


class TestAWorkerIsKilled:
    @pytest.fixture(scope="class")
    def models(self, cluster: SparkCluster) -> dict[str, str]:
        header = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
        return {
            f"{name}.sql": header + sql.replace("@", "{{ target.schema }}")
            for name, sql in MODELS.items()
        }

    def test_the_refresh_finishes_with_the_right_rows(
        self, warehouse: Warehouse, cluster: SparkCluster
    ) -> None:
        warehouse.sql(
            f"create table facts (k bigint, v bigint) using delta {FEED}",
            f"create table names (k bigint, name string) using delta {FEED}",
            "insert into facts select id % 100, id from range(1000)",
            "insert into names select id, concat('n', id) from range(100)",
        )
        warehouse.run()
        model = list(MODELS)
        for turn in range(ROUNDS):
            warehouse.sql(*CHANGE)
            name = model[turn % len(model)]
            before = warehouse.version(f"{name}__ivm"), cluster.executors()
            with watch() as activity:
                killer = _Killer(cluster, activity, wait=0.5 * turn)
                killer.start()
                responses = warehouse.run(name)
                ended = time.monotonic()
                killer.join()
            assert killer.killed is not None and killer.killed < ended, "not amid the refresh"
            assert kinds(responses) == {name: "incremental"}
            warehouse.check(name)
            after = warehouse.version(f"{name}__ivm"), cluster.executors()
            assert after[0] == before[0] + 1
            assert after[1] > before[1], "no executor took the place of the killed one"


class _Killer(threading.Thread):
    """Kills a worker some seconds after the state began to be written."""

    killed: float | None = None

    def __init__(self, cluster: SparkCluster, activity: Activity, wait: float) -> None:
        super().__init__(daemon=True)
        self._cluster, self._activity, self._wait = cluster, activity, wait

    def run(self) -> None:
        give_up = time.monotonic() + PATIENCE
        while not any("merge into" in sql.lower() for sql in self._activity.statements):
            if time.monotonic() > give_up:
                return
            time.sleep(0.02)
        time.sleep(self._wait)
        self._cluster.kill_worker()
        self.killed = time.monotonic()
