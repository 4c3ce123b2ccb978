"""state_writes: append. A refresh adds rows to the state; the view adds them up."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan import assembly
from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds

SUMS = (
    "select f.k, d.name, sum(f.v) as total, avg(length(d.name)) as mean, count(*) as n "
    "from {{ target.schema }}.facts as f left join {{ target.schema }}.names as d on f.k = d.k "
    "group by f.k, d.name having count(*) > 0"
)
WHOLE = "select count(*) as n, sum(v) as total, bit_xor(v) as x from {{ target.schema }}.facts"
KEYS = "select distinct k from {{ target.schema }}.facts"
LARGEST = "select k, max(v) as most from {{ target.schema }}.facts group by k"
EACH = 1
"""Appends after which the state's rows are added up."""
CHANGES = (
    ["insert into facts values ('a', 5), ('c', 9223372036854775000), (null, 2)"],
    ["delete from facts where k = 'b'", "insert into names values ('a', 'again')"],
    [
        "update facts set v = null where k = 'a'",
        "delete from facts where k = 'c'",
        "insert into facts values ('c', 1), ('b', 2), ('z', 1)",
        "delete from facts where k = 'z'",
    ],
    ["delete from facts"],
    ["insert into facts values ('b', 7)"],
)


def model(sql: str, **config: str) -> str:
    said = "".join(f", {key}={value!r}" for key, value in config.items())
    return f"{{{{ config(materialized='ivm'{said}) }}}}{sql}"


class TestAppend:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {"sums": SUMS, "whole": WHOLE, "keys": KEYS, "largest": LARGEST}
        written = {f"{n}.sql": model(sql, state_writes="append") for n, sql in texts.items()}
        written["keys.sql"] = model(
            KEYS, state_writes="append", partition_by="k", refresh_policy="incremental"
        )
        return written

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> dict[str, Any]:
        warehouse.sql(
            f"create table facts (k string, v bigint) using delta {FEED}",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into facts values ('a', 1), ('a', 2), ('b', null)",
            "insert into names values ('a', 'A'), ('b', 'B')",
        )
        return warehouse.run()

    def test_each_refresh_is_one_commit_and_equals_its_query(
        self, warehouse: Warehouse, built: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(assembly, "COMPACT_AFTER", EACH)
        warehouse.check(*built)
        for change in budget(CHANGES[:3], CHANGES):
            warehouse.sql(*change)
            before = {name: warehouse.version(f"{name}__ivm") for name in built}
            responses = warehouse.run()
            assert {r["technique"] for n, r in responses.items() if n != "largest"} == {"append"}
            assert responses["largest"]["technique"] == "group_aggregate"
            warehouse.check(*built)
            after = {name: warehouse.version(f"{name}__ivm") for name in built}
            assert after == {name: version + 1 for name, version in before.items()}
        commits = warehouse.history("sums__ivm")
        modes = [c["operationParameters"].get("mode") for c in reversed(commits)][1:]
        assert modes == budget(
            ["Append", "Overwrite", "Append"], ["Append", "Overwrite"] * 2 + ["Append"]
        )
        assert set(kinds(warehouse.run()).values()) == {"none"}

    def test_changed_state_writes_rebuild_the_view(self, warehouse: Warehouse, built: Any) -> None:
        warehouse.write("sums", model(SUMS))
        warehouse.sql("insert into facts values ('a', 1)")
        response = warehouse.run("sums")["sums"]
        assert response["reason"]["code"] == "CONFIGURATION_CHANGED"
        assert "state_writes: merge" in response["reason"]["detail"]
        warehouse.check("sums")
        warehouse.sql("insert into facts values ('a', 1)")
        assert warehouse.run("sums")["sums"]["technique"] == "group_aggregate"
        warehouse.write(
            "sums", model(SUMS, state_writes="append", on_configuration_change="continue")
        )
        warehouse.sql("insert into facts values ('a', 4)")
        assert warehouse.run("sums")["sums"]["technique"] == "group_aggregate"
        warehouse.check("sums")
        warehouse.write("sums", model(SUMS, state_writes="append"))
        warehouse.sql("insert into facts values ('b', 4)")
        assert warehouse.run("sums")["sums"]["refresh_kind"] == "full"
        warehouse.sql("insert into facts values ('b', 4)")
        assert warehouse.run("sums")["sums"]["technique"] == "append"
        warehouse.check("sums")
