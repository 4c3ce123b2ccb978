"""Tables in an S3 store that is slow, away, or takes the keys no more (`make s3-test`)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from dbt.tests.util import run_dbt_and_capture

from tests.functional.ivm.conftest import project_config_update as project_config_update
from tests.functional.ivm.conftest import warehouse as warehouse
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, models_of
from tests.object_store import SECRET, ObjectStore
from tests.spark_server import during

HEADER = "{{ config(materialized='ivm') }}\n"
VIEWS = {
    "sums": "select k, sum(v) as total, count(*) as n from @facts group by k",
    "filtered": "select k, v from @facts where v > 1",
    "joined": "select n.name, f.v from @facts f left join @names n on n.k = f.k",
}
CHANGES = (
    "insert into facts values ('c', 5), ('a', 6)",
    "update facts set v = v + 10 where k = 'a'",
    "delete from facts where k = 'b'",
    "merge into names n using (select 'a' as k) s on n.k = s.k "
    "when matched then update set name = 'alpha'",
)


class TestS3:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(VIEWS, HEADER)

    @pytest.fixture(scope="class")
    def store(self, object_store: ObjectStore | None) -> ObjectStore:
        if object_store is None:
            pytest.skip("make s3-test")
        return object_store

    @pytest.fixture(scope="class")
    def built(self, store: ObjectStore, warehouse: Warehouse) -> Iterator[Warehouse]:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into facts values ('a', 1), ('a', 2), ('b', 3)",
            "insert into names values ('a', 'one'), ('b', 'two')",
        )
        warehouse.run()
        yield warehouse

    def test_changes_are_followed_by_rows(self, built: Warehouse) -> None:
        detail = built.rows("describe detail sums__ivm")[0]
        assert any(str(value).startswith("s3a://") for value in detail)
        for change in CHANGES:
            built.sql(change)
            assert "incremental" in set(kinds(built.run()).values())
            built.check(*VIEWS)

    def test_the_doctor_names_a_store_that_can_lose_commits(
        self, built: Warehouse, capsys: pytest.CaptureFixture[str]
    ) -> None:
        _, told = run_dbt_and_capture(["--quiet", "run-operation", "ivm_doctor"])
        told += capsys.readouterr().out
        assert "STORE_CAN_LOSE_COMMITS" in told
        assert "spark.delta.logStore.s3a.impl" in told

    @pytest.mark.parametrize("turn", range(4))
    def test_a_store_that_is_away_for_a_moment_costs_no_rows(
        self, built: Warehouse, store: ObjectStore, turn: int
    ) -> None:
        before = {view: built.version(f"{view}__ivm") for view in VIEWS}
        built.sql(f"insert into facts values ('t', {turn}), ('a', {turn})")
        during(store.away(), after=random.Random(turn).uniform(0.2, 3), seconds=1.5)
        built.dbt("run", ok=None)
        built.run()
        built.check(*VIEWS)
        for view, version in before.items():
            assert built.version(f"{view}__ivm") == version + 1, "one commit a refresh"

    def test_a_store_that_stays_away_fails_the_run_and_nothing_else(
        self, built: Warehouse, store: ObjectStore
    ) -> None:
        built.sql("insert into facts values ('u', 7)")
        with store.away():
            results, log = run_dbt_and_capture(["run", "--select", "sums"], expect_pass=False)
        assert {result.status for result in results} == {"error"}
        _says_no_secret(log, [result.message for result in results])
        built.run()
        built.check(*VIEWS)

    def test_expired_credentials_are_told_and_not_shown(
        self, built: Warehouse, store: ObjectStore
    ) -> None:
        built.sql("insert into facts values ('w', 8)")
        with store.without_rights():
            results, log = run_dbt_and_capture(["run"], expect_pass=False)
        messages = [result.message for result in results if result.status == "error"]
        assert messages
        assert all("403" in m or "AccessDenied" in m or "Access Key" in m for m in messages)
        _says_no_secret(log, messages)
        built.run()
        built.check(*VIEWS)


def _says_no_secret(log: str, messages: list[str]) -> None:
    for text in (log, *messages):
        assert SECRET not in text
    for message in messages:
        assert "\tat org.apache" not in message
