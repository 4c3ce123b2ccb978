"""Jobs that fail in the middle, dbt's own flags and commands, and many models at once."""

from __future__ import annotations

import gc
import shutil
import time
import weakref
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from dbt.tests.util import run_dbt

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.budget import only_long
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, reasons, two_targets

JVM_STACK = ("\tat ", "at org.apache", "java.lang.", "Driver stacktrace")


def model(sql: str, **config: Any) -> str:
    given = "".join(f", {key}={value!r}" for key, value in config.items())
    return f"{{{{ config(materialized='ivm'{given}) }}}}\n" + sql.replace(
        "@", "{{ target.schema }}."
    )


def create_facts(warehouse: Warehouse, name: str = "facts", kind: str = "int") -> None:
    warehouse.sql(
        f"create table {name} (k string, v {kind}) using delta {FEED}",
        f"insert into {name} values ('a', 1), ('a', 2), ('b', 3)",
    )


def with_ansi(target: dict[str, Any]) -> dict[str, Any]:
    """A profile under which a cast that can't be made is an error, as it is by Spark's default."""
    parameters = {**target["server_side_parameters"], "spark.sql.ansi.enabled": "true"}
    return {**target, "server_side_parameters": parameters}


def folder_of(warehouse: Warehouse, table: str) -> Path:
    columns = [column for column, _ in warehouse.columns(f"describe detail {table}")]
    detail = warehouse.rows(f"describe detail {table}")[0]
    return Path(detail[columns.index("location")].removeprefix("file:"))


@only_long
class TestAJobThatFails:
    """In a task, in writing the state, in reading a source: nothing changes, and `dbt retry`
    continues once the cause is removed."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any]) -> dict[str, Any]:
        return with_ansi(dbt_profile_target)

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        casts = "select k, sum(cast(v as int)) as total from @texts group by k"
        return {
            "casts.sql": model(casts),
            "casts_full.sql": model(casts, refresh_policy="full"),
            "above.sql": model("select count(*) as n from {{ ref('casts') }}"),
            "placed.sql": model(
                "select k, sum(v) as total from @facts group by k", partition_by=["k"]
            ),
            "largest.sql": model("select k, max(v) as most from @lost group by k"),
            "fine.sql": model("select k, count(*) as n from @facts group by k"),
        }

    def test_changes_nothing_until_it_can_be_retried(self, warehouse: Warehouse) -> None:
        create_facts(warehouse, "texts", "string")
        create_facts(warehouse)
        create_facts(warehouse, "lost")
        warehouse.run()
        failing = ("casts", "casts_full", "placed", "largest")
        before = {name: warehouse.bags(name) for name in (*failing, "above")}
        versions = {name: warehouse.version(f"{name}__ivm") for name in failing}

        warehouse.sql("insert into texts values ('b', 'x'), ('c', '4')")
        warehouse.sql("insert into facts values ('z', 1), ('a', 5)")
        in_the_way = folder_of(warehouse, "placed__ivm") / "k=z"
        in_the_way.touch()
        warehouse.sql("delete from lost where v = 2")
        kept = list(folder_of(warehouse, "lost").glob("*.parquet"))
        for file in kept:
            shutil.move(file, file.with_suffix(".away"))

        results = warehouse.dbt("run", ok=False)
        assert {n: str(r.status) for n, r in results.items()} == {
            **dict.fromkeys(failing, "error"),
            "above": "skipped",
            "fine": "success",
        }
        messages = {name: results[name].message for name in failing}
        for name, message in messages.items():
            assert f"model {name} (models/{name}.sql)" in message
            assert not [sign for sign in JVM_STACK if sign in message], message
        for name in ("casts", "casts_full"):
            assert "CAST_INVALID_INPUT" in messages[name]
            assert "'x'" in messages[name]
        assert "k=z" in messages["placed"]
        assert "FILE_NOT_EXIST" in messages["largest"]
        assert "Restore the file" in messages["largest"]
        assert {name: warehouse.bags(name) for name in before} == before
        assert {name: warehouse.version(f"{name}__ivm") for name in failing} == versions

        warehouse.sql("delete from texts where v = 'x'")
        in_the_way.unlink()
        for file in kept:
            shutil.move(file.with_suffix(".away"), file)
        retried = {r.node.name: r.adapter_response for r in run_dbt(["retry"])}
        assert retried.keys() == {*failing, "above"}
        assert kinds(retried) == {
            "casts": "full",
            "casts_full": "full",
            "above": "incremental",
            "placed": "incremental",
            "largest": "incremental",
        }
        assert reasons(retried)["casts"] == "CHANGE_NOT_COMPUTED", "the bad row came and went"
        warehouse.check(*failing, "above", "fine")

        warehouse.sql("insert into texts values ('d', '9')")
        assert kinds(warehouse.run("casts"))["casts"] == "incremental"
        warehouse.check("casts")


SAMPLED = """
models:
  - name: events
    config: {event_time: at}
"""


class TestFlagsAndCommands:
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any]) -> dict[str, Any]:
        return with_ansi(dbt_profile_target)

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        sums = "select k, sum(v) as total from @facts group by k"
        return {
            "never.sql": model(sums, full_refresh=False),
            "always.sql": model(sums, full_refresh=True),
            "plain.sql": model(sums),
            "events.sql": "{{ config(materialized='table') }}"
            "select k, v, timestamp'2020-01-01' as at from {{ target.schema }}.facts",
            "sampled.sql": model("select k, count(*) as n from {{ ref('events') }} group by k"),
            "schema.yml": SAMPLED,
        }

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        create_facts(warehouse)
        warehouse.run("events")
        return warehouse

    def test_a_first_build_obeys_empty_and_sample(self, built: Warehouse) -> None:
        """The first build has the rows that the flags allow; the next plain run builds all of
        them."""
        built.dbt("run", "--empty", "--select", "sampled", "plain")
        assert not built.bags("sampled")
        built.run("sampled")
        built.check("sampled")
        built.sql("drop view sampled", "drop table sampled__ivm")
        built.dbt("run", "--sample", "1 day", "--select", "sampled")
        assert not built.bags("sampled"), "the events are older"
        built.run("sampled")
        built.check("sampled")

    def test_empty_and_sample_change_no_view(self, built: Warehouse) -> None:
        before, version = built.bags("sampled"), built.version("sampled__ivm")
        built.sql("insert into facts values ('s', 1)")
        for flags in (["--empty"], ["--sample", "1 day"], ["--empty", "--full-refresh"]):
            built.dbt("run", "--select", "sampled", *flags)
            assert (built.bags("sampled"), built.version("sampled__ivm")) == (before, version)

    def test_the_full_refresh_config_overrides_the_flag(self, built: Warehouse) -> None:
        built.run("never", "always", "plain")
        built.sql("insert into facts values ('f', 1)")
        responses = built.run("never", "always", "plain", flags=["--full-refresh"])
        assert kinds(responses) == {"never": "incremental", "always": "full", "plain": "full"}
        built.sql("insert into facts values ('f', 2)")
        responses = built.run("never", "always", "plain")
        assert kinds(responses) == {
            "never": "incremental",
            "always": "full",
            "plain": "incremental",
        }
        built.check("never", "always", "plain")

    @only_long
    def test_fail_fast_and_retry(self, built: Warehouse) -> None:
        """dbt ends running models and skips waiting ones; a retry runs both."""
        fast = "select cast('x' || k as int) as n from @facts"
        slow = (
            "select k, sum(v + n) as total from @facts "
            "join (select id % 7 as n from range(3000000)) on true group by k"
        )
        built.write("fast", model(fast))
        names = [f"slow_{place}" for place in range(4)]
        for name in names:
            built.write(name, model(slow))
        results = built.dbt("run", "--select", "fast", *names, "--fail-fast", ok=False)
        assert results["fast"].status == "error"
        undone = {name for name in names if results[name].status != "success"}
        assert undone, "somebody was still waiting"
        # Spark may have been done with one before dbt ended it: such a view is whole.
        early = {name: built.bags(name) for name in undone if built.exists(name)}
        built.write("fast", model("select k from @facts"))
        retried = {r.node.name for r in run_dbt(["retry"])}
        assert retried == {"fast", *undone}
        built.run("fast", *names)
        built.check("fast", *names)
        assert {name: built.bags(name) for name in early} == early


class TestClone:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "sums.sql": model("select k, sum(v) as total from {{ var('raw') }}.facts group by k"),
            "above.sql": model("select count(*) as n from {{ ref('sums') }}"),
        }

    @pytest.fixture(scope="class")
    def profiles_config_update(
        self, unique_schema: str, dbt_profile_target: dict[str, Any]
    ) -> dict[str, Any]:
        return two_targets(unique_schema, dbt_profile_target)

    def test_a_clone_reads_the_original_until_its_first_run(self, warehouse: Warehouse) -> None:
        create_facts(warehouse)
        given = ["--vars", f"raw: {warehouse.schema}"]
        warehouse.run(flags=given)
        state = warehouse.folder / "deployed"
        shutil.copytree(warehouse.folder / "target", state)
        other = [*given, "--target", "other"]
        run_dbt(["clone", "--state", str(state), *other])
        shown = bag(warehouse.rows(f"select * from {warehouse.schema}_other.sums"))
        assert shown == warehouse.bags("sums")
        names = {row[1] for row in warehouse.rows(f"show tables in {warehouse.schema}_other")}
        assert names == {"sums", "above"}, "no state is shared"

        warehouse.sql("insert into facts values ('c', 7)")
        for kind in ("initial", "incremental"):
            results = warehouse.dbt("run", *other)
            assert {r.adapter_response["refresh_kind"] for r in results.values()} == {kind}
            for name in ("sums", "above"):
                shown = bag(warehouse.rows(f"select * from {warehouse.schema}_other.{name}"))
                assert shown == bag(warehouse.rows(warehouse.queries[name]))
            warehouse.sql("insert into facts values ('d', 8), ('a', 1)")
        assert bag(warehouse.rows("select k from sums")) == bag([("a",), ("b",)]), "as it was"
        run_dbt(["clone", "--state", str(state), "--full-refresh", *other])
        assert kinds(warehouse.run(flags=other)) == {"sums": "initial", "above": "initial"}
        shown = bag(warehouse.rows(f"select * from {warehouse.schema}_other.sums"))
        assert shown == bag(warehouse.rows(warehouse.queries["sums"]))
        warehouse.sql(f"drop schema {warehouse.schema}_other cascade")


MODELS = 40
THREADS = 8


@only_long
class TestManyModelsAtOnce:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = (
            "select k, sum(v) as total from @facts where v > {} group by k",
            "select k, max(v) as most, count(distinct v) as n from @facts where v > {} group by k",
            "select f.k, g.v from @facts as f join @facts as g on f.v = g.v + {}",
            "select k, v, rank() over (partition by k order by v) as r from @facts where v <> {}",
        )
        return {f"m{i}.sql": model(texts[i % 4].format(i)) for i in range(MODELS)}

    @pytest.mark.usefixtures("embedded")
    def test_equal_their_queries_and_leak_nothing(self, warehouse: Warehouse) -> None:
        create_facts(warehouse)
        names = [f"m{i}" for i in range(MODELS)]
        alive: weakref.WeakSet[SessionHandle] = weakref.WeakSet()
        original = SessionHandle.__init__

        def noted(self: SessionHandle, *args: Any) -> None:
            original(self, *args)
            alive.add(self)

        before = self.left(warehouse)
        with patch.object(SessionHandle, "__init__", noted):
            for kind in ("initial", "incremental", "none"):
                responses = warehouse.run(flags=["--threads", str(THREADS)])
                assert set(kinds(responses).values()) == {kind}
                warehouse.check(*names)
                if kind == "initial":
                    rows = ", ".join(f"('{key}', {n})" for n in range(9) for key in "abc")
                    warehouse.sql(
                        f"insert into facts values {rows}", "delete from facts where v = 2"
                    )
        gc.collect()
        assert len(alive) <= THREADS + 2, "sessions end with their connections"
        deadline = time.monotonic() + 30
        while self.left(warehouse) != before and time.monotonic() < deadline:
            warehouse._spark._jvm.System.gc()
            time.sleep(0.5)
        after = self.left(warehouse)
        for what, there in before.items():
            assert after[what] == there, what

    @staticmethod
    def left(warehouse: Warehouse) -> dict[str, Any]:
        """What a session could leave to others."""
        spark = warehouse._spark
        blocks = spark.sparkContext._jsc.getPersistentRDDs().values()
        cached = [str(block.name()) for block in blocks]
        return {
            "cached": not spark._jsparkSession.sharedState().cacheManager().isEmpty(),
            "cached blocks": [name for name in cached if not name.startswith("Delta Table State")],
            "views": [row for row in warehouse.rows("show views") if row[2]],
            # Delta notes a session's own last commit, and this one's are the test's.
            "settings": {k: v for k, v in warehouse.rows("set") if "lastCommitVersion" not in k},
        }
