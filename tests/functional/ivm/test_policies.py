"""How each refresh_policy, flag and change of a model's text decides a run."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt_and_capture

from dbt.adapters.ivm_spark.plan import decide
from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.watermark import cost_model
from tests.conftest import TargetWith
from tests.functional.conftest import TINY_TABLES
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, reasons

SUMS = "select k, sum(v) as total from {{ target.schema }}.facts group by k"
NOT_MAINTAINED = (
    "select k, v, row_number() over (partition by k order by v) as place, "
    "sum(v) over (order by v, k) as running from {{ target.schema }}.facts"
)


def model(sql: str, **config: Any) -> str:
    given = "".join(f", {key}={value!r}" for key, value in config.items())
    return f"{{{{ config(materialized='ivm'{given}) }}}}\n{sql}"


def create_facts(warehouse: Warehouse) -> None:
    warehouse.sql(
        f"create table facts (k string, v int) using delta {FEED}",
        "insert into facts values ('a', 1), ('a', 2), ('b', 3), (null, null)",
    )


class TestPolicies:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        policies = ("auto", "incremental", "incremental_strict", "full")
        kept = {f"{p}.sql": model(SUMS, refresh_policy=p) for p in policies}
        return {
            **kept,
            "default.sql": model(SUMS),
            "never_auto.sql": model(NOT_MAINTAINED, refresh_policy="auto"),
            "never_incremental.sql": model(NOT_MAINTAINED, refresh_policy="incremental"),
            "never_strict.sql": model(NOT_MAINTAINED, refresh_policy="incremental_strict"),
        }

    def test_each_policy_chooses_its_refreshes_even_after_a_lost_feed(
        self, warehouse: Warehouse
    ) -> None:
        create_facts(warehouse)
        maintained = ("default", "auto", "incremental", "incremental_strict", "full")
        never = ("never_auto", "never_incremental")
        everything = (*maintained, *never)

        # a query that can't be maintained is no view under incremental_strict
        message = warehouse.fail("never_strict")["never_strict"]
        assert "never_strict" in message
        assert "incremental_strict" in message
        assert "WINDOW_WITHOUT_PARTITION_BY" in message or "OPERATOR_NOT_SUPPORTED" in message
        assert not warehouse.exists("never_strict")

        first = warehouse.run(*everything)
        assert kinds(first) == dict.fromkeys(everything, "initial")
        assert set(reasons(first)) == set(never), "why they will always be refreshed in full"

        warehouse.sql("insert into facts values ('b', 4), ('c', 5)")
        results, log = run_dbt_and_capture(["run", "--select", *everything])
        second = {r.node.name: r.adapter_response for r in results}
        assert kinds(second) == {
            **dict.fromkeys(("incremental", "incremental_strict"), "incremental"),
            **dict.fromkeys(("default", "auto", "full", *never), "full"),
        }
        assert reasons(second)["full"] == "FULL_REFRESH_REQUESTED"
        small = ("default", "auto")
        assert {m: reasons(second)[m] for m in small} == dict.fromkeys(small, "COST_MODEL")
        warned = [line for line in log.splitlines() if "refreshed in full" in line]
        assert warned
        assert all("never_incremental" in line for line in warned), warned
        warehouse.check(*everything)

        third = warehouse.run(*everything)
        assert kinds(third) == dict.fromkeys(everything, "none")

        fourth = warehouse.run("auto", "incremental_strict", flags=["--full-refresh"])
        assert kinds(fourth) == {"auto": "full", "incremental_strict": "full"}
        assert set(reasons(fourth).values()) == {"FULL_REFRESH_REQUESTED"}

        # the feed is lost for one commit
        warehouse.sql(
            "alter table facts set tblproperties ('delta.enableChangeDataFeed' = 'false')",
            "insert into facts values ('a', 100)",
            "alter table facts set tblproperties ('delta.enableChangeDataFeed' = 'true')",
            "insert into facts values ('c', 1)",
        )
        shown, version = (
            warehouse.bags("incremental_strict"),
            warehouse.version("incremental_strict__ivm"),
        )
        message = warehouse.fail("incremental_strict")["incremental_strict"]
        assert "incremental_strict" in message
        assert "CDF_UNAVAILABLE" in message
        assert "facts" in message
        assert "--full-refresh" in message
        assert warehouse.bags("incremental_strict") == shown
        assert warehouse.version("incremental_strict__ivm") == version
        others = ("default", "auto", "incremental")
        fifth = warehouse.run(*others)
        assert reasons(fifth) == dict.fromkeys(others, "CDF_UNAVAILABLE")
        assert kinds(fifth) == dict.fromkeys(others, "full")
        warehouse.check(*others)

        # and after a rebuild everything is as before
        warehouse.run("incremental_strict", flags=["--full-refresh"])
        warehouse.sql("insert into facts values ('c', 2)")
        sixth = warehouse.run("incremental_strict", "incremental")
        assert set(kinds(sixth).values()) == {"incremental"}
        warehouse.check("incremental_strict", "incremental")


class TestChangedQueries:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(SUMS) for name in ("edited", "reworded", "renamed", "turned")}

    def test_only_a_changed_meaning_rebuilds(self, warehouse: Warehouse) -> None:
        create_facts(warehouse)
        warehouse.run()
        facts = "{{ target.schema }}.facts"
        warehouse.write("edited", model(f"select k, sum(v + 1) as total from {facts} group by k"))
        warehouse.write(
            "reworded",
            model(f"-- in words\nSELECT k,\n\n /* all of it */ SUM(v)   AS total FROM {facts}\n"
                  "GROUP  BY k -- the key\n"),
        )  # fmt: skip
        warehouse.write("renamed", model(f"select k, sum(v) as Total from {facts} group by k"))
        warehouse.write("turned", model(f"select k, v from {facts}"))
        responses = warehouse.run()
        assert reasons(responses) == dict.fromkeys(
            ("edited", "turned"), "QUERY_FINGERPRINT_CHANGED"
        )
        assert kinds(responses)["reworded"] == "none"
        assert kinds(responses)["renamed"] == "incremental"
        warehouse.check("edited", "reworded", "renamed", "turned")
        assert warehouse.columns("select * from renamed") == [("k", "string"), ("Total", "bigint")]
        assert warehouse.columns("select * from turned") == [("k", "string"), ("v", "int")]

        warehouse.sql("delete from facts where k = 'b'")
        assert set(kinds(warehouse.run()).values()) == {"incremental"}
        warehouse.check("edited", "reworded", "renamed", "turned")


BOUNDS = {"one_table": (18, 10), "two_tables": (22, 18)}
"""Upper bounds of (statements, jobs) of a run that refreshes one view incrementally."""


class TestWork:
    """What one refresh costs in statements and Spark jobs; the numbers are printed."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(
        self, spark_parameters: dict[str, str], target_with: TargetWith
    ) -> dict[str, object]:
        """With adaptive execution, which makes a job of every shuffle, as users have it."""
        parameters = spark_parameters | TINY_TABLES | {"spark.sql.adaptive.enabled": "true"}
        return target_with(parameters) | {"threads": 1}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "one_table.sql": model(SUMS.replace("total", "total, count(*) as n, avg(v) as mean")),
            "two_tables.sql": model(
                "select l.label, sum(f.v) as total, count(*) as n from {{ target.schema }}.facts f "
                "join {{ target.schema }}.labels l on f.k = l.k group by l.label"
            ),
        }

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        create_facts(warehouse)
        warehouse.sql(
            f"create table labels (k string, label string) using delta {FEED}",
            "insert into labels values ('a', 'A'), ('b', 'B')",
        )
        warehouse.run()
        return warehouse

    @pytest.mark.parametrize("name", BOUNDS)
    def test_an_incremental_refresh_runs_few_statements_and_jobs(
        self, built: Warehouse, name: str
    ) -> None:
        built.sql(
            "insert into facts values ('a', 10), ('b', 11)",
            "delete from facts where v = 2",
            "update labels set label = 'B2' where k = 'b'",
        )
        built.sql("insert into facts values ('a', 2)")
        with watch() as work:
            response = built.run(name)[name]
        # Without what a connection to a server opens with, which is no part of a refresh.
        sent = [s for s in work.statements if not s.startswith("set `")]
        print(f"{name}: {len(sent)} statements, {work.jobs} Spark jobs")  # noqa: T201
        assert response["refresh_kind"] == "incremental"
        merges = [s for s in work.statements if "merge into" in s.lower()]
        assert len(merges) == 1
        statements, jobs = BOUNDS[name]
        within = (len(sent) <= statements, work.jobs <= jobs)
        assert within == (True, True), (len(sent), work.jobs, sent)
        built.check(name)

    @pytest.mark.parametrize("name", BOUNDS)
    def test_a_run_without_changes_runs_few_statements_and_jobs(
        self, built: Warehouse, name: str
    ) -> None:
        built.run(name)
        before = built.version(f"{name}__ivm")
        built.sql("select 1")
        with watch() as work:
            response = built.run(name)[name]
        print(f"{name}, nothing moved: {len(work.statements)} statements, {work.jobs} Spark jobs")  # noqa: T201
        assert response["refresh_kind"] == "none"
        assert response["technique"] == "no_op"
        assert response["_message"] == "NO CHANGES"
        assert built.version(f"{name}__ivm") == before
        assert not [s for s in work.statements if "merge into" in s.lower()]
        assert not [s for s in work.statements if "create or replace" in s.lower()]
        histories = [s for s in work.statements if "describe history" in s.lower()]
        assert len(histories) <= 1 + name.count("two") + 1, "the state's and each source's"
        assert work.jobs <= len(histories), "no job on data; one reads the log of a history"


class TestTouchedRows:
    """A first incremental refresh asks how many rows its window functions are computed for."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        facts = "from {{ target.schema }}.facts"
        near = "range between 2 preceding and current row"
        return {
            "ranks.sql": model(
                f"select k, v, rank() over (partition by k order by v) as r {facts}"
            ),
            "nears.sql": model(
                f"select k, v, sum(v) over (partition by k order by v {near}) as s {facts}"
            ),
        }

    @pytest.mark.parametrize("spread", [False, True])
    def test_are_counted_before_the_first_one(
        self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, spread: bool
    ) -> None:
        monkeypatch.setattr(decide, "SMALL_ROWS", 0)
        monkeypatch.setattr(decide, "UNTRIED", 1e9)
        monkeypatch.setattr(cost_model, "TOUCHED", 1e12 if spread else 0.0)
        create_facts(warehouse)
        warehouse.run(flags=["--full-refresh"])
        warehouse.sql("insert into facts values ('a', 10)")
        with watch() as work:
            found = kinds(warehouse.run())
        assert sum("touched_rows" in sql for sql in work.statements) == 2
        assert set(found.values()) == {"full" if spread else "incremental"}
        warehouse.check("ranks", "nears")
        warehouse.sql("drop table facts")
        for model in ("ranks", "nears"):
            warehouse.sql(f"drop view {model}", f"drop table {model}__ivm")


class TestTheSessionsSettings:
    """A small refresh changes settings of the session and restores them afterwards."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        keys = ("spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions")
        seen = ", ".join(f"'${{{key}}}'" for key in keys)
        hooks = (
            "pre_hook=['set spark.sql.adaptive.enabled=true', "
            "'set spark.sql.shuffle.partitions=7'], post_hook="
            f'"create or replace table {{{{ target.schema }}}}.seen using delta as select {seen}"'
        )
        return {"sums.sql": model(SUMS).replace("'ivm'", f"'ivm', {hooks}", 1)}

    def test_are_restored_after_a_refresh(self, warehouse: Warehouse) -> None:
        create_facts(warehouse)
        warehouse.run()
        warehouse.sql("insert into facts values ('a', 10)", "drop table seen")
        with watch() as work:
            assert kinds(warehouse.run()) == {"sums": "incremental"}
        assert "set spark.sql.adaptive.enabled=false" in work.statements
        assert "set spark.sql.shuffle.partitions=1" in work.statements
        assert warehouse.rows("select * from seen") == [("true", "7")]
        warehouse.check("sums")


class TestRunOutput:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "sums.sql": model(SUMS),
            "bags.sql": model("select k, v from {{ target.schema }}.facts"),
        }

    def test_the_console_and_the_adapter_response_report_the_same_counts(
        self, warehouse: Warehouse
    ) -> None:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts select 'k' || id, id from range(50)",
        )
        first = warehouse.run("sums")["sums"]
        assert first["_message"] == "INITIAL 50 rows"
        assert first["technique"] == "initial"
        assert first["rows_inserted"] == first["rows_affected"] == 50
        warehouse.sql(
            "insert into facts select 'new' || id, id from range(12)",
            "update facts set v = v + 1000 where k like 'k%' and v < 40",
            "delete from facts where v between 40 and 42",
        )
        results, log = run_dbt_and_capture(["run", "--select", "sums"])
        assert "OK created sql ivm model" in log
        assert "INCREMENTAL +12 ~40 -3" in log
        response = results[0].adapter_response
        assert {key: response[key] for key in response if key.startswith("rows_")} == {
            "rows_inserted": 12,
            "rows_updated": 40,
            "rows_deleted": 3,
            "rows_affected": 55,
        }
        assert response["_message"] == "INCREMENTAL +12 ~40 -3"
        assert (response["refresh_kind"], response["technique"]) == (
            "incremental",
            "group_aggregate",
        )
        assert response.get("reason") is None
        ((name, source),) = response["sources"].items()
        assert "facts" in name
        assert (source["from"], source["to"]) == (1, 4)
        assert source["changed_rows"] == 12 + 40 + 3
        assert {"plan", "apply"} <= set(response["seconds"])
        assert all(seconds > 0 for seconds in response["seconds"].values())
        assert response["estimated_seconds"]["incremental"] > 0
        assert response["estimated_seconds"]["full"] > 0

    def test_a_bag_view_reports_the_row_counts_of_its_state(self, warehouse: Warehouse) -> None:
        """An update counts as one insert and one delete; equal rows that come together count
        once."""
        warehouse.run("bags")
        before = warehouse.bags("bags")
        warehouse.sql(
            "insert into facts values ('twice', 1), ('twice', 1), ('k0', 1000)",
            "delete from facts where k = 'k5'",
        )
        response = warehouse.run("bags")["bags"]
        assert response["_message"] == "INCREMENTAL +2 ~0 -1"
        warehouse.check("bags")
        gained = warehouse.bags("bags") - before
        assert sum(gained.values()) == 3
        assert bag([("twice", 1)]) <= gained
