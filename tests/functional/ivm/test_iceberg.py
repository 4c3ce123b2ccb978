"""What dbt and this package say of an Iceberg table in a catalog of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import SourceReader
from tests.conftest import ICEBERG, TargetWith
from tests.functional.conftest import TINY_TABLES
from tests.functional.ivm.warehouse import Warehouse, kinds, reasons
from tests.spark_server import HOST, free_port

pytestmark = pytest.mark.skipif(not ICEBERG, reason="no Iceberg for this Spark")
HEADER = "{{ config(materialized='ivm') }}\n"
MODELS = {
    "sums": HEADER + "select k, sum(v) as total, count(*) as n from {{ source('lake', 'facts') }} "
    "group by k",
    "named": HEADER + "select f.id, upper(f.k) as k from `ice`.{{ target.schema }}.facts f",
    "sizes": HEADER + "select sum(record_count) as n from ice.{{ target.schema }}.facts.files",
    "staged": "{{ config(materialized='view') }} select id, k, v * 2 as v from "
    "{{ source('lake', 'facts') }}",
    "on_a_view": HEADER + "select k, max(v) as most from {{ ref('staged') }} group by k",
}
IVM = ("sums", "named", "on_a_view")
PROPERTIES = """
sources:
  - name: lake
    database: ice
    schema: "{{ target.schema }}"
    loaded_at_field: at
    freshness: {error_after: {count: 1, period: day}}
    tables: [{name: facts, columns: [{name: id}]}]
models:
  - name: sums
    data_tests: [equals_its_query]
"""
NOWHERE = HEADER + "select * from nowhere.db.facts"


class TestAnotherCatalog:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {f"{name}.sql": text for name, text in MODELS.items()}
        return {**texts, "properties.yml": PROPERTIES}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        table = f"ice.{warehouse.schema}.facts"
        warehouse.sql(
            f"create namespace if not exists ice.{warehouse.schema}",
            f"create table {table} (id int, k string, v int, at timestamp) using iceberg",
            f"insert into {table} values (1, 'a', 1, now()), (2, 'b', 2, now())",
        )
        warehouse.run()
        yield warehouse
        warehouse.sql(f"drop table {table}")

    def test_views_of_it_are_refreshed(self, built: Warehouse) -> None:
        built.sql(f"insert into ice.{built.schema}.facts values (3, 'a', 7, now())")
        responses = built.run()
        assert reasons(responses).keys() == {"sizes"}
        assert {kinds(responses)[name] for name in IVM} == {"incremental"}
        built.check(*IVM, "sizes")
        assert {kinds(built.run())[name] for name in IVM} == {"none"}

    def test_a_branch_is_read_in_full(self, built: Warehouse) -> None:
        table = f"ice.{built.schema}.facts"
        built.sql(
            f"call ice.system.fast_forward('{table}', 'audit', 'main')",
            f"insert into {table}.branch_audit values (9, 'z', 9, now())",
        )
        built.write("audited", f"{HEADER}select k, v from {table}.branch_audit")
        try:
            for number in range(2):
                built.sql(f"insert into {table}.branch_audit values ({number}, 'y', 1, now())")
                assert reasons(built.run("audited")).keys() <= {"audited"}
                built.check("audited")
        finally:
            (built.folder / "models" / "audited.sql").unlink()

    def test_docs_and_freshness_know_it(self, built: Warehouse) -> None:
        catalog: Any = run_dbt(["docs", "generate"])
        (source,) = catalog.sources.values()
        assert source.metadata.database == "ice"
        assert list(source.columns) == ["id", "k", "v", "at"]
        assert [c.type for c in source.columns.values()] == ["int", "string", "int", "timestamp"]
        assert set(catalog.nodes) >= {f"model.test.{name}" for name in MODELS}
        run_dbt(["source", "freshness"])

    def test_commands_tell_its_snapshots(
        self, built: Warehouse, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = json.dumps({"model": "sums"})
        run_dbt(["--quiet", "run-operation", "ivm_explain", "--args", arguments])
        told = capsys.readouterr().out
        assert f"ice.{built.schema}.facts  snapshots" in told
        run_dbt(["--quiet", "run-operation", "ivm_doctor", "--args", '{"models": ["sums"]}'])
        told = capsys.readouterr().out
        assert f"ice.{built.schema}.facts: snapshots, read to" in told
        assert "0 warnings" in told

    def test_a_view_is_compared_at_the_recorded_snapshot(self, built: Warehouse) -> None:
        table = f"ice.{built.schema}.facts"
        built.run()
        built.sql(f"insert into {table} values (4, 'c', 7, now())")
        run_dbt(["test", "--select", "sums"])
        built.sql(
            f"call ice.system.expire_snapshots(table => '{table}', "
            "older_than => timestamp '2100-01-01', retain_last => 1)"
        )
        _, log = run_dbt_and_capture(["test", "--select", "sums"], expect_pass=False)
        assert "Spark can no longer read the source versions of its last refresh" in log
        built.run()
        run_dbt(["test", "--select", "sums"])

    def test_a_session_that_has_read_an_older_snapshot_reads_the_pinned_one(
        self, built: Warehouse
    ) -> None:
        table = f"ice.{built.schema}.facts"
        pins, relation = Pins(), f"`ice`.`{built.schema}`.`facts`"
        first, second = built.new_session(), built.new_session()
        count = f"select count(*) from {table}"
        ((before,),) = second.sql(count).collect()
        built.sql(f"insert into {table} values (5, 'c', 7, now())")
        for session in (first, second):
            reader = _reader(session)
            head = pins.head(reader, reader.relation(relation), None, set())
        ((after,),) = second.sql(f"{count} version as of {head.version}").collect()
        assert after == before + 1

    def test_a_catalog_that_is_not_there_is_named(self, built: Warehouse) -> None:
        built.write("astray", NOWHERE)
        try:
            (message,) = built.fail("astray").values()
        finally:
            (built.folder / "models" / "astray.sql").unlink()
        assert "nowhere" in message
        assert "\tat org.apache" not in message


def _reader(session: Any) -> SourceReader:
    return SourceReader(lambda sql: [row.asDict() for row in session.sql(sql).collect()])


class TestNoServer:
    """Nothing listens where a REST catalog should be."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"astray.sql": NOWHERE}

    @pytest.fixture(scope="class")
    def uri(self) -> str:
        return f"http://{HOST}:{free_port()}"

    @pytest.fixture(scope="class")
    def dbt_profile_target(
        self, spark_parameters: dict[str, str], target_with: TargetWith, uri: str
    ) -> dict[str, object]:
        catalog = {
            "spark.sql.catalog.nowhere": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.nowhere.type": "rest",
            "spark.sql.catalog.nowhere.uri": uri,
        }
        return target_with(spark_parameters | TINY_TABLES | catalog)

    def test_it_is_told(self, warehouse: Warehouse, uri: str) -> None:
        (message,) = warehouse.fail("astray").values()
        assert uri in message
        assert "The server of an Iceberg REST catalog does not answer." in message
        assert "\tat org.apache" not in message
