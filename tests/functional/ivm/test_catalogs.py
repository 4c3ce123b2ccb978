"""Models in a catalog of Delta tables beside Spark's own, which has no views."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from tests.compiled import HAS_COMPILER
from tests.conftest import ICEBERG
from tests.functional.ivm.test_view_life import DROP_SQL
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, reasons

pytestmark = pytest.mark.skipif(not HAS_COMPILER, reason="no javac")
HEADER = "{{ config(materialized='ivm', publish='table', database='second') }}\n"
SUMS = "select k, sum(v) as total, count(*) as n from {{ source('raw', 'facts') }} group by k"
MODELS = {
    "staged": "{{ config(materialized='table', database='second', file_format='delta', "
    "tblproperties={'delta.enableChangeDataFeed': 'true'}) }} "
    "select k, v, v * 2 as twice from {{ source('raw', 'facts') }} where v > 1",
    "sums": HEADER + SUMS,
    "joined": HEADER + "select s.k, s.twice, t.total from {{ ref('staged') }} as s "
    "join {{ ref('sums') }} as t on s.k = t.k",
    "at_home": "{{ config(materialized='ivm') }}\n"
    "select n, count(*) as groups from {{ ref('sums') }} group by n",
    "grown": "{{ config(materialized='incremental', database='second', unique_key='k', "
    "incremental_strategy='merge') }} select k, total from {{ ref('sums') }}",
}
if ICEBERG:
    MODELS["in_ice"] = (
        "{{ config(materialized='table', database='ice', file_format='iceberg') }} "
        "select k, total from {{ ref('sums') }}"
    )
    MODELS["over_ice"] = (
        HEADER + "select total, count(*) as n from {{ ref('in_ice') }} group by total"
    )
PROPERTIES = """
sources:
  - {name: raw, database: second, schema: "{{ target.schema }}", tables: [{name: facts}]}
models:
  - name: sums
    columns: [{name: k, data_tests: [unique, not_null]}]
    data_tests: [equals_its_query]
  - name: joined
    data_tests: [equals_its_query]
"""
IVM = ("sums", "joined", *(["over_ice"] if ICEBERG else []))
CHANGES = (
    "insert into {facts} values ('a', 10), ('d', 4)",
    "delete from {facts} where k = 'b'",
    "update {facts} set v = v + 1 where k = 'a'",
)


def named(warehouse: Warehouse, name: str) -> str:
    return f"second.{warehouse.schema}.{name}"


def check(warehouse: Warehouse, *models: str) -> None:
    if "over_ice" in models:
        # Each session keeps what it knows of an Iceberg table for a while.
        warehouse.sql(f"refresh table ice.{warehouse.schema}.in_ice")
    for name in models:
        shown = bag(warehouse.rows(f"select * from {named(warehouse, name)}"))
        assert shown == bag(warehouse.rows(warehouse.queries[name])), name


class TestModels:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {f"{name}.sql": text for name, text in MODELS.items()}
        return {**texts, "properties.yml": PROPERTIES}

    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return {"drop_model.sql": DROP_SQL.replace("database=none", "database='second'")}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        facts = named(warehouse, "facts")
        warehouse.sql(
            f"create schema second.{warehouse.schema}",
            f"create table {facts} (k string, v int) using delta {FEED}",
            f"insert into {facts} values ('a', 1), ('a', 2), ('b', 3), ('c', 2)",
        )
        warehouse.run()
        yield warehouse
        warehouse.sql(f"drop schema second.{warehouse.schema} cascade")
        if ICEBERG:
            warehouse.sql(f"drop table ice.{warehouse.schema}.in_ice")

    def test_they_are_in_that_catalog(self, built: Warehouse) -> None:
        check(built, *IVM)
        built.check("at_home")
        tables = {row[1] for row in built.rows(f"show tables in second.{built.schema}")}
        assert tables == {"facts", "staged", "grown", *IVM, *(f"{name}__ivm" for name in IVM)}
        here = {row[1] for row in built.rows(f"show tables in {built.schema}")}
        assert here == {"at_home", "at_home__ivm"}

    @pytest.mark.parametrize("change", CHANGES)
    def test_they_are_refreshed(self, built: Warehouse, change: str) -> None:
        built.sql(change.format(facts=named(built, "facts")))
        found = built.run()
        assert kinds(found)["sums"] == "incremental"
        assert reasons(found).keys() <= {"over_ice"}, "dbt replaces its table"
        check(built, *IVM)
        built.check("at_home")

    def test_a_run_without_changes(self, built: Warehouse) -> None:
        assert kinds(built.run("sums", "at_home")) == {"sums": "none", "at_home": "none"}

    def test_dbts_tests_and_commands(self, built: Warehouse) -> None:
        results = run_dbt(["test"])
        assert {str(result.status) for result in results} == {"pass"}
        built.sql(f"insert into {named(built, 'facts')} values ('e', 5)")
        for command in (("ivm_explain", "--args", "model: sums"), ("ivm_doctor",)):
            _, said = run_dbt_and_capture(["run-operation", *command])
            assert "sums" in said, command
        run_dbt(["docs", "generate"])
        built.run()
        check(built, *IVM)

    def test_a_full_refresh(self, built: Warehouse) -> None:
        assert kinds(built.run("sums", flags=["--full-refresh"])) == {"sums": "full"}
        check(built, "sums")

    def test_a_view_there_is_refused_with_the_way_out(self, built: Warehouse) -> None:
        built.write("shown", HEADER.replace("publish='table', ", "") + SUMS)
        message = built.fail("shown")["shown"]
        assert "does not support views" in message and "publish: table" in message
        (built.folder / "models" / "shown.sql").unlink()

    def test_the_state_is_dropped_with_the_table(self, built: Warehouse) -> None:
        built.drop_by_dbt("joined")
        tables = {row[1] for row in built.rows(f"show tables in second.{built.schema}")}
        assert not tables & {"joined", "joined__ivm"}


class TestProfile:
    """`database` of the profile: everything is in that catalog, unless a node says otherwise."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, str]) -> dict[str, str]:
        return {**dbt_profile_target, "database": "second"}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        header = "{{ config(materialized='ivm', publish='table') }}\n"
        return {"sums.sql": header + "select k, sum(v) as total from {{ ref('facts') }} group by k"}

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"facts.csv": "k,v\na,1\nb,2\na,3\n"}

    def test_seeds_and_models_are_there(self, warehouse: Warehouse) -> None:
        results = warehouse.dbt("build")
        assert {str(result.status) for result in results.values()} == {"success"}
        check(warehouse, "sums")
        assert not warehouse.exists("sums")
        assert kinds(warehouse.run()) == {"sums": "none"}
        warehouse.sql(f"drop schema second.{warehouse.schema} cascade")
