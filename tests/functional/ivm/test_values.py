"""Values at the edges of their types, with ANSI on and off: the view shows what its query shows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.budget import budget
from tests.conftest import TargetWith
from tests.functional.conftest import TINY_TABLES
from tests.functional.ivm.warehouse import FEED, Warehouse, reasons

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
MODELS = {
    "sums": "select g, sum(d) as d, sum(e) as e, sum(b) as b, count(d) as n from @edges group by g",
    "floats": "select g, sum(x) as x, min(x) as low, max(x) as high, avg(x) as mean "
    "from @edges group by g",
    "float_keys": "select x, count(*) as n, sum(b) as b from @edges group by x",
    "different": "select distinct d, x, t, ntz, bin, arr, st, ok from @edges",
    "joined": "select a.g, a.x, b.d from @edges a join @edges b on a.x <=> b.x and a.b < b.b",
    "newest": "select g, b from (select g, b, row_number() over (partition by x order by b) as r "
    "from @edges) where r = 1",
}
TABLE = f"""create table edges (
  g string, d decimal(38,4), e decimal(30,6), b bigint, x double, t timestamp, ntz timestamp_ntz,
  bin binary, arr array<int>, st struct<a: int, b: string>, ok boolean
) using delta {FEED}"""
LARGE = "6000000000000000000000000000000000.0001"


def row(g: str, d: str = "1", b: str = "0", x: str = "1.5") -> str:
    return (
        f"('{g}', {d}, 0.000001, {b}, {x}, timestamp'1900-01-01 00:00:00', "
        "timestamp_ntz'9999-12-31 23:59:59', x'00ff', array(1, null), "
        "named_struct('a', 1, 'b', cast(null as string)), null)"
    )


def insert(*rows: str) -> str:
    return f"insert into edges values {', '.join(rows)}"


FIRST = insert(
    row("large", LARGE, b="9223372036854775807"),
    row("large", f"-{LARGE}", b="-9223372036854775808"),
    row("plain", b="1", x="0.0"),
    row("plain", b="2", x="-0.0"),
    row("nan", b="3", x="double('NaN')"),
    row("nan", b="4", x="null"),
    row("infinite", b="5", x="double('Infinity')"),
    row("infinite", "null", b="6", x="double('-Infinity')"),
)
BATCHES = (
    # a change that is too large while it is summed, and not in all
    (
        insert(row("large", LARGE, b="9223372036854775806")),
        f"delete from edges where g = 'large' and d = {LARGE} and b = 9223372036854775807",
    ),
    # floats that come and go
    (
        insert(row("plain", b="7", x="double('NaN')"), row("nan", b="8", x="1e308")),
        "delete from edges where b in (3, 5)",
    ),
    (
        "delete from edges where b = 7",
        "update edges set x = -x, d = d * 2 where g in ('plain', 'infinite')",
    ),
)


class ValuesSuite:
    ansi: str
    names: tuple[str, ...] = tuple(MODELS)

    @pytest.fixture(scope="class")
    def dbt_profile_target(
        self, spark_parameters: dict[str, str], target_with: TargetWith
    ) -> dict[str, object]:
        parameters = spark_parameters | TINY_TABLES | {"spark.sql.ansi.enabled": self.ansi}
        return target_with(parameters)

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            f"{name}.sql": HEADER + sql.replace("@", "{{ target.schema }}.")
            for name, sql in MODELS.items()
            if name in self.names
        }

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[tuple[dict[str, Any], list[str]]]:
        warehouse.sql(f"set spark.sql.ansi.enabled = {self.ansi}", TABLE, FIRST)
        runs = []
        for batch in ((), *budget((BATCHES[0], BATCHES[1] + BATCHES[2]), BATCHES)):
            warehouse.sql(*batch)
            responses = warehouse.run()
            runs.append((responses, warehouse.all_differences(self.names)))
        return runs

    def test_equal_their_queries(self, runs: Any) -> None:
        for place, (_, differences) in enumerate(runs):
            assert not differences, place

    def test_only_a_sum_that_is_too_large_rebuilds(self, runs: Any) -> None:
        """A change that is too large for its sum may be, by the order of its rows."""
        for place, (responses, _) in enumerate(runs[1:], start=1):
            found = reasons(responses)
            assert set(found) <= ({"sums"} if place == 1 else set()), (place, found)


class TestAnsi(ValuesSuite):
    ansi = "true"
    names = ("sums", "floats")


class TestNotAnsi(ValuesSuite):
    ansi = "false"

    def test_a_sum_beyond_38_digits_is_null_and_comes_back(
        self, runs: Any, warehouse: Warehouse
    ) -> None:
        warehouse.sql(insert(row("large", LARGE, b="10"), row("large", LARGE, b="11")))
        warehouse.run("sums")
        assert [r[1] for r in warehouse.rows("select * from sums") if r[0] == "large"] == [None]
        warehouse.check("sums")
        warehouse.sql("delete from edges where b in (10, 11)")
        warehouse.run("sums")
        warehouse.check("sums")
        warehouse.sql(insert(row("large", "5", b="12")))
        assert warehouse.run("sums")["sums"]["refresh_kind"] == "incremental"
        warehouse.check("sums")
