"""What a run says on the console beside dbt's own lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dbt.tests.util import run_dbt_and_capture

from dbt.adapters.ivm_spark import impl
from dbt.adapters.ivm_spark.refresh.progress import Progress
from tests.functional.ivm.warehouse import FEED, Warehouse

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
MODELS = {
    "sums": "select k, sum(v) as total from {{ target.schema }}.facts group by k",
    "names": "select name from {{ target.schema }}.people",
    "ranked": "select k, row_number() over (order by k, v) as place from {{ target.schema }}.facts",
}
WINDOW = "full by WINDOW_WITHOUT_PARTITION_BY: ranked. Give the window a PARTITION BY."


@pytest.fixture(scope="class")
def models() -> dict[str, str]:
    return {f"{name}.sql": HEADER + sql for name, sql in MODELS.items()}


def said(*flags: str) -> str:
    _, output = run_dbt_and_capture(["run", *flags])
    return output


class TestConsole:
    @pytest.fixture(scope="class")
    def changed(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            f"create table people (name string) using delta {FEED}",
            "insert into facts values ('a', 1), ('b', 2)",
        )
        assert "3 built for the first time" in said()
        return warehouse

    @pytest.fixture(autouse=True)
    def _move(self, changed: Warehouse) -> None:
        changed.sql("insert into facts values ('a', 3)")

    def test_a_run_ends_with_kinds_and_reasons(self) -> None:
        output = said()
        assert "1 incremental, 1 unchanged, 1 full" in output, output
        assert WINDOW in output

    def test_quiet_is_quiet(self) -> None:
        output = said("--quiet")
        assert "incremental" not in output
        assert "full by" not in output

    def test_logs_in_json_have_the_parts(self) -> None:
        lines = [json.loads(line) for line in said("--log-format", "json").splitlines()]
        events = [line["data"] for line in lines if line["info"]["name"] == "AdapterEventInfo"]
        (summary,) = (event for event in events if "incremental" in event["base_msg"])
        assert summary["base_msg"].startswith("{} incremental, {} unchanged, {} full")
        assert summary["args"][:3] == ["1", "1", "1"]

    def test_a_long_refresh_says_what_it_does(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def impatient(say: Any) -> Progress:
            return Progress(say, after=0.001)

        monkeypatch.setattr(impl, "Progress", impatient)
        output = said("-s", "sums")
        assert "sums: planning (0 s so far)" in output
        assert "sums: writing" in output
