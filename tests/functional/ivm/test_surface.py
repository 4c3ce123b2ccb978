"""What a user sees of an ivm model besides its rows: columns, dbt's commands, configs, hooks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

TYPED = """create table typed (
    `Order Id` int, b boolean, ti tinyint, si smallint, bi bigint, f float, d double,
    d5 decimal(5,2), d38 decimal(38,10), s string, vc varchar(8), bin binary, dt date,
    ts timestamp, ntz timestamp_ntz, arr array<int>, st struct<a: int, B: string>
  ) using delta tblproperties ('delta.enableChangeDataFeed' = 'true',
    'delta.columnMapping.mode' = 'name', 'delta.feature.timestampNtz' = 'supported')"""
TYPED_ROW = """insert into typed values (1, true, 1, 2, 3, 1.5, 2.5, 3.25, 4.5, 'x', 'vc',
    x'00ff', date'2024-02-29', timestamp'2024-02-29 12:00:00',
    timestamp_ntz'2024-02-29 12:00:00', array(1, null), struct(1, 'z'))"""
QUERIES = {
    "tagged": "select 'first' as origin, vc from @typed union all select 'second', s from @typed",
    "every_type": "select * from @typed",
    "every_aggregate": "select `Order Id`, sum(ti) as ti, sum(si) as SI, sum(bi) as bi, "
    "sum(f) as f, sum(d) as d, sum(d5) as d5, sum(d38) as d38, avg(ti) as ati, avg(bi) as abi, "
    "avg(d5) as ad5, avg(d38) as ad38, avg(f) as af, min(vc) as vc, min(bin) as bin, "
    "max(b) as b, min(dt) as dt, max(ts) as ts, max(ntz) as ntz, max(st) as st, count(*) as n "
    "from @typed group by `Order Id`",
    "unnamed": "select vc, count(*), sum(bi), sum(bi) + 1, upper(vc), max(d5) / 2, vc || 'x' "
    "from @typed group by vc",
    "literals": "select 1 as One, 'x' as tXt, null as nothing, b as B, "
    "cast(d5 as decimal(6,3)) as d6 from @typed",
    "constants": "select 1 as one, 'x' as txt, cast(null as int) as nothing, not b as Not_B "
    "from @typed",
    "keyless": "select count(distinct vc) as `Distinct`, sum(d5) as `sum`, min(st.a) as `min.x` "
    "from @typed",
    "distinct_types": "select distinct dt, st, arr, vc as VC from @typed",
    "united": "select ti as n, vc as t from @typed union all select bi, s from @typed",
}


def models_of(queries: dict[str, str], **config: Any) -> dict[str, str]:
    given = "".join(f", {key}={value!r}" for key, value in config.items())
    header = f"{{{{ config(materialized='ivm'{given}) }}}}\n"
    return {f"{n}.sql": header + q.replace("@", "{{ target.schema }}.") for n, q in queries.items()}


class TestColumns:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(QUERIES)

    @pytest.fixture(scope="class")
    def refreshed(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(TYPED, TYPED_ROW)
        type(self).results = [warehouse.dbt("run", ok=None)]
        type(self).before = {name: self.seen(warehouse, name) for name in QUERIES}
        warehouse.sql(
            TYPED_ROW,
            TYPED_ROW.replace("(1, true", "(2, null"),
            "insert into typed (s) values (null)",
        )
        type(self).results.append(warehouse.dbt("run", ok=None))
        return warehouse

    results: list[dict[str, Any]]
    before: dict[str, Any]

    @staticmethod
    def seen(warehouse: Warehouse, name: str) -> tuple[Any, Any]:
        shown = warehouse.columns(f"select * from {name}") if warehouse.exists(name) else None
        return shown, warehouse.columns(warehouse.queries[name])

    @pytest.mark.parametrize("name", QUERIES)
    def test_are_exactly_the_querys(self, refreshed: Warehouse, name: str) -> None:
        """Names with their case, types, order; after the first build and after a refresh."""
        for results, kind in zip(self.results, ("initial", "incremental"), strict=True):
            assert results[name].status == "success", results[name].message
            if name != "literals":  # a column without a type is never maintained
                response = results[name].adapter_response
                assert response["refresh_kind"] == kind, response["reason"]
        shown, wanted = self.before[name]
        assert shown == wanted
        shown, wanted = self.seen(refreshed, name)
        assert shown == wanted
        refreshed.check(name)

    def test_the_state_is_beside_the_view(self, refreshed: Warehouse) -> None:
        names = {row[1]: row[2] for row in refreshed.rows(f"show tables in {refreshed.schema}")}
        views = {row[1] for row in refreshed.rows(f"show views in {refreshed.schema}")}
        built = {name for name in QUERIES if self.results[0][name].status == "success"}
        assert built == views
        for name in built:
            assert f"{name}__ivm" in names
            assert f"{name}__ivm" not in views
        assert len(names) == 2 * len(built) + 1, "and nothing else is left"


SCHEMA_YML = """
sources:
  - {name: raw, schema: "{{ target.schema }}", tables: [{name: facts}]}
models:
  - name: sums
    description: Sums by key
    config: {persist_docs: {relation: true, columns: true}}
    columns:
      - {name: k, description: "The key; it's quoted", data_tests: [unique, not_null]}
      - {name: total, description: "Its sum"}
"""
SUMS = "select k, sum(v) as total from {{ target.schema }}.facts group by k"
DOWNSTREAM = {
    "as_table.sql": "{{ config(materialized='table') }} select * from {{ ref('sums') }}",
    "as_incremental.sql": "{{ config(materialized='incremental', unique_key='k', "
    "incremental_strategy='merge') }} select * from {{ ref('sums') }}",
    "as_view.sql": "{{ config(materialized='view') }} select * from {{ ref('sums') }}",
}
TESTS = {"sums_are_positive.sql": "select * from {{ ref('sums') }} where total < 0"}


class TestCommands:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        sums = "select k, sum(v) as total from {{ source('raw', 'facts') }} group by k"
        ours = {"sums.sql": "{{ config(materialized='ivm') }}\n" + sums}
        return {**ours, **DOWNSTREAM, "schema.yml": SCHEMA_YML}

    @pytest.fixture(scope="class")
    def tests(self) -> dict[str, str]:
        return TESTS

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1), ('a', 2), ('b', 3)",
        )
        warehouse.run()
        return warehouse

    def test_ref_from_other_models(self, built: Warehouse) -> None:
        built.sql("insert into facts values ('b', 4), ('c', 5)")
        built.run()
        wanted = bag([("a", 3), ("b", 7), ("c", 5)])
        assert built.bags("sums") == built.bags("as_table") == built.bags("as_incremental")
        assert built.bags("sums") == built.bags("as_view") == wanted

    def test_dbt_test(self, built: Warehouse) -> None:
        results = built.dbt("test")
        assert len(results) == 3
        assert {result.status for result in results.values()} == {"pass"}
        built.sql("insert into facts values (null, -1)")
        built.run("sums")
        failed = [n for n, r in built.dbt("test", ok=False).items() if r.status == "fail"]
        assert sorted(failed) == ["not_null_sums_k", "sums_are_positive"]
        built.sql("delete from facts where k is null")
        built.run("sums")

    def test_dbt_docs_generate(self, built: Warehouse) -> None:
        run_dbt(["docs", "generate"])
        catalog = json.loads((built.folder / "target" / "catalog.json").read_text())
        node = catalog["nodes"]["model.test.sums"]
        assert list(node["columns"]) == ["k", "total"]
        same = catalog["nodes"]["model.test.as_view"]["columns"]
        assert {n: c["type"] for n, c in node["columns"].items()} == {
            n: c["type"] for n, c in same.items()
        }
        assert "view" in node["metadata"]["type"].lower()
        assert not catalog["errors"]

    def test_dbt_show(self, built: Warehouse) -> None:
        _, log = run_dbt_and_capture(["show", "--select", "sums", "--limit", "2"])
        assert "total" in log
        assert "__ivm" not in log

    def test_dbt_compile(self, built: Warehouse) -> None:
        version = built.version("sums__ivm")
        _, log = run_dbt_and_capture(["compile", "--select", "sums"])
        assert f"from {built.schema}.facts group by k" in log
        assert built.version("sums__ivm") == version

    def test_dbt_build(self, built: Warehouse) -> None:
        assert {str(r.status) for r in built.dbt("build").values()} == {"success", "pass"}

    def test_persist_docs(self, built: Warehouse) -> None:
        described = {row[0]: row[1:] for row in built.rows("describe table extended sums")}
        assert described["k"] == ("string", "The key; it's quoted")
        assert described["total"] == ("bigint", "Its sum")
        assert described["Comment"][0] == "Sums by key"

    def test_a_changed_description_reaches_the_view_without_a_commit(
        self, built: Warehouse
    ) -> None:
        version = built.version("sums__ivm")
        schema = built.folder / "models" / "schema.yml"
        schema.write_text(schema.read_text().replace("Its sum", "Another text"))
        assert kinds(built.run("sums")) == {"sums": "none"}
        described = {row[0]: row[1:] for row in built.rows("describe table sums")}
        assert described["total"] == ("bigint", "Another text")
        assert built.version("sums__ivm") == version, "a description is no change of the state"

    @pytest.mark.usefixtures("embedded")
    def test_a_description_too_long_for_hive(self, built: Warehouse) -> None:
        text = "long " * 60
        schema = built.folder / "models" / "schema.yml"
        schema.write_text(schema.read_text().replace("Another text", text))
        (result,) = built.dbt("run", "--select", "sums").values()
        described = {row[0]: row[1:] for row in built.rows("describe table sums")}
        assert described["total"] == ("bigint", text)
        assert result.execution_time < 10, "Hive waits between its attempts"

    def test_empty_never_changes_a_view(self, built: Warehouse) -> None:
        before = built.bags("sums")
        assert before
        built.dbt("run", "--select", "sums", "--empty", ok=None)
        assert built.bags("sums") == before
        assert kinds(built.run("sums")) == {"sums": "none"}


LOGGED = (
    """{{ config(materialized='ivm',
  pre_hook="insert into {{ target.schema }}.log values ('pre')",
  post_hook="insert into {{ target.schema }}.log values ('post')") }}
"""
    + SUMS
)


class TestHooksAndKinds:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"sums.sql": LOGGED}

    def test_hooks_run_on_every_path(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            "create table log (what string) using delta",
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1)",
        )
        for times, (kind, change, flags) in enumerate(
            (
                ("initial", "select 1", []),
                ("none", "select 1", []),
                ("incremental", "insert into facts values ('a', 2)", []),
                ("full", "select 1", ["--full-refresh"]),
            ),
            start=1,
        ):
            warehouse.sql(change)
            assert kinds(warehouse.run("sums", flags=flags)) == {"sums": kind}
            assert warehouse.bags("log") == bag([("pre",), ("post",)] * times)

    def test_a_pre_hook_that_changes_the_source_is_seen(self, warehouse: Warehouse) -> None:
        hook = "insert into {{ target.schema }}.facts values ('hook', 1)"
        warehouse.write(
            "hooked", f'{{{{ config(materialized="ivm", pre_hook="{hook}") }}}}\n{SUMS}'
        )
        warehouse.run("hooked")
        warehouse.check("hooked")
        warehouse.run("hooked")
        warehouse.check("hooked")
        assert warehouse.rows("select total from hooked where k = 'hook'") == [(2,)]

    def test_from_table_to_ivm_and_back(self, warehouse: Warehouse) -> None:
        def turn(materialized: str) -> dict[str, Any]:
            warehouse.write("turning", f"{{{{ config(materialized='{materialized}') }}}}\n{SUMS}")
            return warehouse.run("turning")["turning"]

        turn("table")
        assert turn("ivm")["refresh_kind"] == "initial"
        warehouse.check("turning")
        warehouse.sql("insert into facts values ('t', 1)")
        assert turn("ivm")["refresh_kind"] == "incremental"
        turn("view")
        warehouse.sql("insert into facts values ('t', 2)")
        assert turn("ivm")["refresh_kind"] == "initial", "the state went with the view"
        warehouse.check("turning")
        turn("table")
        warehouse.sql("insert into facts values ('t', 3)")
        assert turn("ivm")["refresh_kind"] == "initial"
        warehouse.check("turning")
        views = {row[1] for row in warehouse.rows(f"show views in {warehouse.schema}")}
        assert "turning" in views


class TestConfigs:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            **models_of({"aliased": "select k, v from @facts"}, alias="other_name", schema="away"),
            **models_of({"partitioned": "select k, sum(v) as total from @facts group by k"},
                        partition_by=["k"]),
            **models_of({"clustered": "select k, sum(v) as total from @facts group by k"},
                        liquid_clustered_by=["k"]),
            **models_of({"with_properties": "select k, v from @facts"},
                        tblproperties={"delta.logRetentionDuration": "interval 9 days"}),
            **models_of({"silent": "select k, v from @facts"}, emit_changes=False),
            **models_of({"granted": "select k, v from @facts"}, grants={"select": ["somebody"]}),
            "granted_view.sql": "{{ config(materialized='view', grants={'select': ['somebody']}) }}"
            " select k, v from {{ target.schema }}.facts",
            **models_of({"contracted": "select k, sum(v) as total from @facts group by k"}),
            **models_of({"contract_broken": "select k, v as total from @facts"}),
            "schema.yml": CONTRACTS_YML,
        }  # fmt: skip

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Any:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1), ('a', 2), ('b', 3)",
        )
        results = [warehouse.dbt("run", ok=None)]
        warehouse.sql("insert into facts values ('b', 4), (null, null)")
        results.append(warehouse.dbt("run", ok=None))
        yield warehouse, results
        warehouse.sql(f"drop schema {warehouse.schema}_away cascade")

    @pytest.mark.parametrize(
        "name", ["aliased", "partitioned", "clustered", "with_properties", "silent", "contracted"]
    )
    def test_models_with_each_config_build_and_refresh(self, built: Any, name: str) -> None:
        warehouse, results = built
        relation = f"{warehouse.schema}_away.other_name" if name == "aliased" else name
        for result, kind in zip(results, ("initial", "incremental"), strict=True):
            assert result[name].status == "success", result[name].message
            assert result[name].adapter_response["refresh_kind"] == kind
        shown = bag(warehouse.rows(f"select * from {relation}"))
        assert shown == bag(warehouse.rows(warehouse.queries[name]))

    def test_the_state_is_laid_out_as_configured(self, built: Any) -> None:
        warehouse, _ = built

        def detail(name: str) -> dict[str, Any]:
            columns = [c for c, _ in warehouse.columns(f"describe detail {name}")]
            return dict(zip(columns, warehouse.rows(f"describe detail {name}")[0], strict=True))

        assert detail("partitioned__ivm")["partitionColumns"] == ["k"]
        assert detail("clustered__ivm")["clusteringColumns"] == ["k"]
        properties = detail("with_properties__ivm")["properties"]
        assert properties["delta.logRetentionDuration"] == "interval 9 days"
        assert properties["delta.enableChangeDataFeed"] == "true"
        assert detail("silent__ivm")["properties"]["delta.enableChangeDataFeed"] == "false"
        assert warehouse.exists("aliased") is False
        names = {r[1] for r in warehouse.rows(f"show tables in {warehouse.schema}_away")}
        assert names == {"other_name", "other_name__ivm"}

    def test_grants_behave_as_for_a_dbt_spark_view(self, built: Any) -> None:
        warehouse, results = built
        for result in results:
            assert result["granted"].status == result["granted_view"].status
        warehouse.check("granted")

    def test_a_contract_that_the_query_breaks(self, built: Any) -> None:
        warehouse, results = built
        assert results[0]["contract_broken"].status == "error"
        assert "contract" in results[0]["contract_broken"].message.lower()
        assert not warehouse.exists("contract_broken__ivm")


CONTRACTS_YML = """
models:
  - name: contracted
    config: {contract: {enforced: true}}
    columns: [{name: k, data_type: string}, {name: total, data_type: bigint}]
  - name: contract_broken
    config: {contract: {enforced: true}}
    columns: [{name: k, data_type: string}, {name: total, data_type: string}]
"""
