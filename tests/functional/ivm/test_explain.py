"""Explain before, the record after: both say what the run itself does, and change nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from benchmarks.cost import kind_of
from dbt.adapters.ivm_spark.session.activity import watch
from tests.functional.ivm.conftest import INCREMENTAL
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds

CONFIG = "{{ config(materialized='ivm') }}\n"
MODELS = {
    # Compiled by dbt's own compiler, ephemeral models and all.
    "positive.sql": "{{ config(materialized='ephemeral') }}\n"
    "select k, v from {{ target.schema }}.facts where v > 0",
    "sums.sql": CONFIG + "select n.name, sum(p.v) as total from {{ ref('positive') }} p "
    "join {{ target.schema }}.names n on n.k = p.k group by n.name",
    "ranks.sql": CONFIG + "select k, rank() over (order by v) as place "
    "from {{ target.schema }}.facts",
    "still_a_table.sql": "{{ config(materialized='table') }}\nselect distinct name from "
    "{{ ref('sums') }}",
    "schema.yml": """
models:
  - name: sums
    data_tests:
      - is_incremental_view:
          name: stays
      - is_incremental_view:
          name: stays_otherwise
          arguments: {techniques: [row_based]}
  - name: ranks
    data_tests:
      - is_incremental_view:
          name: would_stay
""",
}
SAME = (
    "model, relation, refresh, started_at, kind, technique, reason, detail, rows_inserted, "
    "rows_updated, rows_deleted, changed_rows, estimated_incremental, estimated_full, sources"
)
Explain = Callable[..., Any]


class TestExplain:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return MODELS

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {**INCREMENTAL, "on-run-end": ["{{ ivm_record_refreshes(results) }}"]}

    @pytest.fixture
    def explain(self, capsys: pytest.CaptureFixture[str]) -> Explain:
        def explained(model: str) -> dict[str, Any]:
            capsys.readouterr()
            arguments = json.dumps({"model": model, "format": "json"})
            run_dbt(["--quiet", "run-operation", "ivm_explain", "--args", arguments])
            # The fixture that invokes dbt prints a line of its own.
            printed = capsys.readouterr().out
            found: dict[str, Any] = json.loads(printed[printed.index("\n{") :])
            return found

        return explained

    def recorded(self, warehouse: Warehouse, columns: str = SAME) -> list[tuple[Any, ...]]:
        return warehouse.rows(f"select {columns} from ivm_refreshes order by model, refresh")

    def test_a_model_that_was_never_built(self, warehouse: Warehouse, explain: Explain) -> None:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into facts values ('a', 1), ('b', 2), ('b', -3)",
            "insert into names values ('a', 'ale'), ('b', 'bun')",
        )
        told = explain("sums")
        assert (told["maintained"], told["technique"]) == (True, "group_aggregate")
        assert told["next"]["kind"] == "initial"
        assert {s["name"]: s["newest"] for s in told["sources"]} == {
            f"{warehouse.schema}.facts": 1,
            f"{warehouse.schema}.names": 1,
        }
        assert "create or replace table" in told["sql"]["build"]
        assert "merge into" in told["sql"]["merge"]
        assert not warehouse.exists("sums")
        assert not warehouse.exists("sums__ivm")

    def test_a_run_does_what_was_explained_and_records_it(
        self, warehouse: Warehouse, explain: Explain, tmp_path: Path
    ) -> None:
        first = warehouse.run()
        warehouse.sql(
            "insert into facts values ('a', 5), ('c', 1)", "delete from facts where v < 0"
        )
        versions = [warehouse.version(f"{name}__ivm") for name in ("sums", "ranks")]
        with watch() as activity:
            sums = explain("sums")
        assert "query" not in {kind_of(statement) for statement in activity.statements}
        ranks = explain("ranks")
        assert [warehouse.version(f"{n}__ivm") for n in ("sums", "ranks")] == versions
        assert ranks["reason"]["code"] == "WINDOW_WITHOUT_PARTITION_BY"
        assert (ranks["maintained"], ranks["technique"]) == (False, None)

        flags = ["--log-path", str(tmp_path), "--log-format-file", "json"]
        second = warehouse.run("sums", "ranks", flags=flags)
        for told, response in ((sums, second["sums"]), (ranks, second["ranks"])):
            assert told["next"]["kind"] == response["refresh_kind"]
            assert told["next"]["technique"] == response["technique"]
            assert told["next"]["reason"] == response.get("reason")
            assert told["next"]["estimated_seconds"] == response["estimated_seconds"]
            changed = {s["name"]: s["changed_rows"] for s in told["sources"]}
            assert changed == {
                name.replace("`", ""): s["changed_rows"] for name, s in response["sources"].items()
            }
        columns = "model, refresh, kind, technique, reason, rows_inserted, rows_updated"
        assert self.recorded(warehouse, columns) == [
            ("model.test.ranks", 1, "initial", "initial", "WINDOW_WITHOUT_PARTITION_BY", 3, 0),
            ("model.test.ranks", 2, "full", "full", "WINDOW_WITHOUT_PARTITION_BY", 4, 0),
            ("model.test.sums", 1, "initial", "initial", None, 2, 0),
            ("model.test.sums", 2, "incremental", "group_aggregate", None, 0, 1),
        ]
        assert first["sums"]["refresh"]["number"] == 1
        events = [json.loads(line) for line in (tmp_path / "dbt.log").read_text().splitlines()]
        logged = {
            event["data"]["node_info"]["node_name"]: event["data"]["run_result"]["adapter_response"]
            for event in events
            if event["info"]["name"] == "NodeFinished"
        }
        for name in ("sums", "ranks"):
            response = second[name]
            for key in ("refresh_kind", "technique", "rows_updated", "sources", "seconds"):
                assert logged[name][key] == response[key], f"{name}: {key}"

    def test_a_run_with_nothing_to_do_writes_nothing(self, warehouse: Warehouse) -> None:
        before = self.recorded(warehouse)
        version = warehouse.version("ivm_refreshes")
        with watch() as activity:
            run = warehouse.run("sums", "ranks")
        assert kinds(run) == {"sums": "none", "ranks": "none"}
        assert not [s for s in activity.statements if "ivm_refreshes" in s]
        assert (self.recorded(warehouse), warehouse.version("ivm_refreshes")) == (before, version)

    def test_ivm_refreshes_adds_missing_records_from_the_states(self, warehouse: Warehouse) -> None:
        """They equal what the run would have written; records beyond the limit are removed."""
        newest = [row for row in self.recorded(warehouse) if row[2] == 2]
        (took,) = warehouse.rows("select seconds from ivm_refreshes where kind = 'incremental'")
        warehouse.sql("delete from ivm_refreshes where kind = 'incremental'")
        run_dbt(["run-operation", "ivm_refreshes", "--args", "{keep: 1}"])
        assert self.recorded(warehouse) == newest
        (again,) = warehouse.rows("select seconds from ivm_refreshes where kind = 'incremental'")
        assert again[0] == pytest.approx(took[0], abs=2)

    def test_an_unwritable_record_does_not_fail_the_run(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            "drop table ivm_refreshes",
            "create table ivm_refreshes (mine int) using delta",
            "insert into facts values ('b', 7)",
        )
        results, log = run_dbt_and_capture(["run", "--select", "sums"])
        assert [result.status for result in results] == ["success", "success"], "and the hook"
        assert "The refreshes of this run are not in" in log
        assert "dbt run-operation ivm_refreshes" in log
        assert warehouse.rows("select * from ivm_refreshes") == []

    def test_is_incremental_view_passes_and_fails(self, warehouse: Warehouse) -> None:
        results = warehouse.dbt("test", ok=None)
        statuses = {name: result.status for name, result in results.items()}
        statuses.pop("test-on-run-end-0")
        assert statuses == {"stays": "pass", "stays_otherwise": "fail", "would_stay": "fail"}
        (row,) = warehouse.rows(results["would_stay"].node.compiled_code)
        assert row[:2] == ("model.test.ranks", "WINDOW_WITHOUT_PARTITION_BY")
        (row,) = warehouse.rows(results["stays_otherwise"].node.compiled_code)
        assert row[:2] == ("model.test.sums", "OTHER_TECHNIQUE")

    def test_ivm_explain_prints_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = "{model: still_a_table, sql: true}"
        run_dbt(["run-operation", "ivm_explain", "--args", arguments])
        printed = capsys.readouterr().out
        assert "It is materialized as table; this explains it as an ivm model." in printed
        assert "Distinct [state]" in printed
        assert "merge into" in printed
        _, said = run_dbt_and_capture(
            ["run-operation", "ivm_explain", "--args", "{model: nothing}"], expect_pass=False
        )
        assert "This project has no model nothing" in said
