"""What dbt selects by a source's freshness, and what is due and not selected; state, deferral and
clones where names have three parts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from dbt.adapters.ivm_spark.source.reader import SourceReader
from tests.conftest import ICEBERG
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, two_targets

START = datetime(2024, 4, 1, 12, tzinfo=timezone.utc)
HEADER = "{{ config(materialized='ivm') }}\n"
MODELS = {
    "sums": HEADER + "select k, sum(v) as total from {{ source('raw', 'facts') }} group by k",
    "recent": HEADER + "select k, v from {{ source('raw', 'facts') }} where day > current_date - 7",
    "on_stamped": HEADER + "select k, count(*) as n from {{ source('raw', 'stamped') }} group by k",
    "on_quiet": HEADER + "select k, count(*) as n from {{ source('raw', 'quiet') }} group by k",
}
PROPERTIES = """
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables:
      - name: facts
        loaded_at_field: at
        config: {freshness: {warn_after: {count: 100000, period: day}}}
      - name: stamped
        config: {freshness: {warn_after: {count: 1, period: day}}}
      - name: quiet
"""
FRESHER = "source_status:fresher+"
ALL_DUE = "config.materialized:ivm"


def found_in(results: dict[str, Any]) -> dict[str, str]:
    """The kind of refresh of each ivm model, the status of a failed or another model."""
    return {
        name: result.adapter_response.get("refresh_kind", str(result.status))
        for name, result in results.items()
    }


class Deployment:
    """A job that checks freshness, builds by a selection, and keeps its artifacts as state."""

    def __init__(self, warehouse: Warehouse) -> None:
        self.warehouse = warehouse
        self.state = warehouse.folder / "last_job"

    def job(self, *select: str, ok: bool = True) -> dict[str, str]:
        """Run the job; the kind of refresh of each ivm model, or its status if it failed."""
        run_dbt(["source", "freshness"])
        state = ["--state", str(self.state)] if self.state.exists() else []
        built = self.warehouse.dbt("build", "--select", *select, *state, ok=ok)
        self.keep()
        return found_in(built)

    def keep(self) -> None:
        """Keep the artifacts of the last job as dbt's state."""
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(self.warehouse.folder / "target", self.state)


class TestSourceFreshness:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {**{f"{n}.sql": sql for n, sql in MODELS.items()}, "properties.yml": PROPERTIES}

    @pytest.fixture(scope="class")
    def clock(self) -> Iterator[list[datetime]]:
        """The time of the runs: the one item of a list."""
        time = [START]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SourceReader, "now", lambda _: round(time[0].timestamp() * 1_000_000))
            yield time

    @pytest.fixture(scope="class")
    def deployment(self, warehouse: Warehouse, clock: list[datetime]) -> Deployment:
        warehouse.sql(
            f"create table facts (k string, v int, day date, at timestamp) using delta {FEED}",
            f"create table stamped (k string) using delta {FEED}",
            f"create table quiet (k string) using delta {FEED}",
            "insert into stamped values ('a'), ('b'), ('c')",
            "insert into facts values ('a', 1, date'2024-03-26', timestamp'2024-04-01 10:00:00'), "
            "('b', 2, date'2024-03-31', timestamp'2024-04-01 11:00:00')",
            "insert into quiet values ('a')",
        )
        deployment = Deployment(warehouse)
        assert deployment.job(ALL_DUE) == dict.fromkeys(MODELS, "initial")
        return deployment

    def due(self, deployment: Deployment, *models: str, by: str = FRESHER) -> None:
        """A job by the selection does nothing; one of all ivm models refreshes these."""
        assert deployment.job(by) == {}
        expected = dict.fromkeys(MODELS, "none") | dict.fromkeys(models, "incremental")
        assert deployment.job(by, ALL_DUE) == expected
        deployment.warehouse.check("sums", "on_quiet")

    def test_newer_rows_select_the_models_that_read_them(self, deployment: Deployment) -> None:
        deployment.warehouse.sql(
            "insert into facts values ('a', 5, date'2024-04-01', timestamp'2024-04-01 12:00:00')"
        )
        assert deployment.job(FRESHER) == {"sums": "incremental", "recent": "incremental"}
        deployment.warehouse.check("sums")

    def test_rows_that_do_not_move_the_time_are_not_selected(self, deployment: Deployment) -> None:
        deployment.warehouse.sql(
            "update facts set v = v + 10 where k = 'b'",
            "delete from facts where v = 1",
            "insert into facts values ('c', 7, date'2024-03-30', timestamp'2024-03-30 09:00:00')",
        )
        self.due(deployment, "sums", "recent")

    def test_every_commit_selects_if_no_column_says_the_time(self, deployment: Deployment) -> None:
        changed = {"on_stamped": "incremental"}
        for change in ("update stamped set k = 'd' where k = 'c'", "delete from stamped"):
            deployment.warehouse.sql(change)
            assert deployment.job(FRESHER) == changed
            deployment.warehouse.check("on_stamped")
        assert deployment.job(FRESHER) == {}

    def test_a_table_that_records_no_commits_needs_a_column(self, deployment: Deployment) -> None:
        warehouse = deployment.warehouse
        warehouse.sql("create table filed (k string) using parquet")
        source = f"sources: [{{name: lake, schema: {warehouse.schema}, tables: [{{name: filed, "
        properties = warehouse.folder / "models" / "filed.yml"
        properties.write_text(
            source + "config: {freshness: {warn_after: {count: 1, period: day}}}}]}]\n"
        )
        _, log = run_dbt_and_capture(["source", "freshness"], expect_pass=False)
        properties.unlink()
        assert "Nothing records when source" in log
        assert "filed was last changed" in log

    def test_a_source_without_freshness_is_not_selected(self, deployment: Deployment) -> None:
        deployment.warehouse.sql("insert into quiet values ('b')")
        self.due(deployment, "on_quiet")

    def test_a_day_that_has_passed_is_not_selected(
        self, deployment: Deployment, clock: list[datetime]
    ) -> None:
        clock[0] = START + timedelta(days=6)
        self.due(deployment, "recent")
        assert deployment.warehouse.bags("recent") == bag([("a", 5)])

    def test_what_a_failed_job_left_is_not_selected(self, deployment: Deployment) -> None:
        """Unless the state of its results selects it, too."""
        built = deployment.warehouse
        broken = MODELS["sums"].replace("sum(v)", "sum(no_such_column)")
        for by, expected in ((FRESHER, {}), ("result:error+", {"sums": "incremental"})):
            built.write("sums", broken)
            built.sql(
                "insert into facts select 'd', 1, date'2024-03-31', "
                "max(at) + interval 1 hour from facts"
            )
            assert deployment.job(FRESHER, ok=False) == {"sums": "error", "recent": "incremental"}
            built.write("sums", MODELS["sums"])
            assert deployment.job(by) == expected
        built.check("sums")


class Deployed:
    """What a production job has built in the default schema, and a second target beside it."""

    def __init__(self, warehouse: Warehouse) -> None:
        self.warehouse = warehouse
        self.other = f"{warehouse.schema}_other"
        self.facts = f"ice.{warehouse.schema}.facts"
        self.given = ["--vars", f"raw: {warehouse.schema}"]
        self.state = warehouse.folder / "deployed"

    def bags(self, model: str) -> Any:
        """The rows of a model in the second target."""
        return bag(self.warehouse.rows(f"select * from {self.other}.{model}"))


THREE_PARTS = {
    "staged": "{{ config(materialized='view') }} select k, v from {{ source('lake', 'facts') }}",
    "sums": HEADER + "select k, sum(v) as total from {{ ref('staged') }} group by k",
    "above": HEADER + "select k, total from {{ ref('sums') }} where total > 1",
}
LAKE = """
sources:
  - name: lake
    database: ice
    schema: "{{ var('raw') }}"
    config: {freshness: {warn_after: {count: 1, period: day}}}
    tables: [{name: facts}]
"""


@pytest.mark.skipif(not ICEBERG, reason="no Iceberg for this Spark")
class TestThreePartNames:
    """State, deferral and clones where a source or a parent is in another catalog."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {**{f"{n}.sql": sql for n, sql in THREE_PARTS.items()}, "lake.yml": LAKE}

    @pytest.fixture(scope="class")
    def profiles_config_update(
        self, unique_schema: str, dbt_profile_target: dict[str, Any]
    ) -> dict[str, Any]:
        return two_targets(unique_schema, dbt_profile_target)

    @pytest.fixture(scope="class")
    def deployed(self, warehouse: Warehouse) -> Iterator[Deployed]:
        deployed = Deployed(warehouse)
        warehouse.sql(
            f"create namespace if not exists ice.{warehouse.schema}",
            f"create table {deployed.facts} (k string, v int) using iceberg",
            f"insert into {deployed.facts} values ('a', 1), ('b', 2)",
        )
        warehouse.dbt("build", *deployed.given)
        shutil.copytree(warehouse.folder / "target", deployed.state)
        yield deployed
        warehouse.sql(
            f"drop table {deployed.facts}", f"drop schema if exists {deployed.other} cascade"
        )

    def test_only_what_was_edited_is_modified(self, deployed: Deployed) -> None:
        modified = ["--select", "state:modified+", "--state", str(deployed.state)]
        for target in ([], ["--target", "other"]):
            assert run_dbt(["ls", *modified, *deployed.given, *target]) == []
        folder = deployed.warehouse.folder / "models"
        (folder / "lake.yml").write_text(LAKE.replace("database: ice", "database: water"))
        found = run_dbt(["ls", *modified, *deployed.given])
        (folder / "lake.yml").write_text(LAKE)
        assert {name.split(".")[-1] for name in found} == {"facts", *THREE_PARTS}

    def test_a_source_is_as_fresh_as_its_newest_snapshot(self, deployed: Deployed) -> None:
        def loaded() -> datetime:
            (result,) = run_dbt(["source", "freshness", *deployed.given])
            assert str(result.status) == "pass"
            assert timedelta() < datetime.now(timezone.utc) - result.max_loaded_at < timedelta(1)
            return cast(datetime, result.max_loaded_at)

        before = loaded()
        assert loaded() == before
        deployed.warehouse.sql(f"update {deployed.facts} set v = v + 1 where k = 'b'")
        assert loaded() > before

    def test_a_deferred_model_follows_the_parent_in_the_other_schema(
        self, deployed: Deployed
    ) -> None:
        warehouse = deployed.warehouse
        warehouse.write("above", THREE_PARTS["above"].replace("> 1", "> 0"))
        select = ["--select", "state:modified+", "--defer", "--state", str(deployed.state)]
        for kind in ("initial", "incremental"):
            built = warehouse.dbt("build", *select, *deployed.given, "--target", "other")
            assert found_in(built) == {"above": kind}
            assert deployed.bags("above") == warehouse.bags("sums")
            warehouse.sql(f"insert into {deployed.facts} values ('a', 5), ('c', 7)")
            warehouse.dbt("run", "--select", "sums", *deployed.given)
        warehouse.write("above", THREE_PARTS["above"])

    def test_a_clone_reads_the_original_until_its_first_run(self, deployed: Deployed) -> None:
        warehouse = deployed.warehouse
        other = [*deployed.given, "--target", "other"]
        run_dbt(["clone", "--full-refresh", "--state", str(deployed.state), *other])
        assert deployed.bags("sums") == warehouse.bags("sums")
        for kind in ("initial", "incremental"):
            found = found_in(warehouse.dbt("run", *other))
            assert found == {"staged": "success", "sums": kind, "above": kind}
            assert deployed.bags("sums") == bag(warehouse.rows(warehouse.queries["sums"]))
            warehouse.sql(f"insert into {deployed.facts} values ('d', 8)")

    def test_a_parent_may_be_deployed_in_the_other_catalog(self, deployed: Deployed) -> None:
        """As in a job whose target has another catalog."""
        warehouse = deployed.warehouse
        parent = f"ice.{warehouse.schema}.sums"
        warehouse.sql(
            f"create table {parent} (k string, total bigint) using iceberg",
            f"insert into {parent} values ('x', 10)",
            f"drop schema {deployed.other} cascade",
        )
        path = deployed.state / "manifest.json"
        manifest = json.loads(path.read_text())
        node = manifest["nodes"]["model.test.sums"]
        node["database"], node["relation_name"] = "ice", f"`ice`.`{warehouse.schema}`.`sums`"
        path.write_text(json.dumps(manifest))
        state = ["--state", str(deployed.state), *deployed.given, "--target", "other"]
        try:
            for kind in ("initial", "incremental"):
                built = warehouse.dbt("run", "--select", "above", "--defer", *state)
                assert found_in(built) == {"above": kind}
                assert deployed.bags("above") == bag(warehouse.rows(f"select * from {parent}"))
                warehouse.sql(f"insert into {parent} values ('y', 11)")
            run_dbt(["clone", "--select", "sums", *state])
            assert deployed.bags("sums") == bag(warehouse.rows(f"select * from {parent}"))
        finally:
            warehouse.sql(f"drop table {parent}")
