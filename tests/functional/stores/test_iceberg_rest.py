"""Iceberg tables in a REST catalog whose server hangs or is away (`make rest-test`)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.functional.ivm.conftest import project_config_update as project_config_update
from tests.functional.ivm.conftest import warehouse as warehouse
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, models_of, reasons
from tests.iceberg_rest import IcebergRest
from tests.spark_server import during

HEADER = "{{ config(materialized='ivm') }}\n"
VIEWS = {
    "sums": "select k, sum(v) as total, count(*) as n from ice.@facts group by k",
    "filtered": "select k, v from ice.@facts where v > 1",
    "joined": "select n.name, f.v from ice.@facts f left join @names n on n.k = f.k",
}


class TestRestCatalog:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(VIEWS, HEADER)

    @pytest.fixture(scope="class")
    def catalog(self, iceberg_rest: IcebergRest | None) -> IcebergRest:
        if iceberg_rest is None:
            pytest.skip("make rest-test")
        return iceberg_rest

    @pytest.fixture(scope="class")
    def built(self, catalog: IcebergRest, warehouse: Warehouse) -> Iterator[Warehouse]:
        table = f"ice.{warehouse.schema}.facts"
        warehouse.sql(
            f"create namespace ice.{warehouse.schema}",
            f"create table {table} (k string, v int) using iceberg",
            f"create table names (k string, name string) using delta {FEED}",
            f"insert into {table} values ('a', 1), ('a', 2), ('b', 3)",
            "insert into names values ('a', 'one'), ('b', 'two')",
        )
        warehouse.run()
        yield warehouse
        warehouse.sql(f"drop table {table}")

    @pytest.mark.parametrize("turn", range(4))
    def test_a_server_that_starts_anew_costs_no_rows(
        self, built: Warehouse, catalog: IcebergRest, turn: int
    ) -> None:
        before = {view: built.version(f"{view}__ivm") for view in VIEWS}
        built.sql(f"insert into ice.{built.schema}.facts values ('t', {turn}), ('a', {turn})")
        timer = during(catalog.gone(), after=random.Random(turn).uniform(0.2, 4), seconds=0.5)
        built.dbt("run", ok=None)
        timer.join()
        assert reasons(built.run()) == {}
        built.check(*VIEWS)
        for view, version in before.items():
            assert built.version(f"{view}__ivm") == version + 1, "one commit a refresh"

    def test_a_server_that_stays_away_fails_the_run_and_nothing_else(
        self, built: Warehouse, catalog: IcebergRest
    ) -> None:
        built.sql(f"insert into ice.{built.schema}.facts values ('u', 7)")
        with catalog.gone():
            messages = built.fail(*VIEWS)
        for message in messages.values():
            _tells(message, catalog.uri)
        assert set(kinds(built.run()).values()) == {"incremental"}
        built.check(*VIEWS)

    def test_a_server_that_hangs_fails_the_run_and_nothing_else(
        self, built: Warehouse, catalog: IcebergRest
    ) -> None:
        built.sql(f"insert into ice.{built.schema}.facts values ('w', 8)")
        with catalog.away():
            messages = built.fail(*VIEWS)
        for message in messages.values():
            _tells(message, "Read timed out")
        assert set(kinds(built.run()).values()) == {"incremental"}
        built.check(*VIEWS)


def _tells(message: str, what: str) -> None:
    assert what in message
    assert "The server of an Iceberg REST catalog does not answer." in message
    assert "\tat org.apache" not in message
