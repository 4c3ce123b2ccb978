"""Names that need quotes, look like ours, or stand for two things: tables, columns, aliases."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import TargetWith
from tests.functional.conftest import TINY_TABLES
from tests.functional.ivm.warehouse import Warehouse, bag, reasons

MAPPED = """tblproperties ('delta.enableChangeDataFeed' = 'true',
  'delta.columnMapping.mode' = 'name')"""
OURS = ("__ivm_count", "__ivm_weight", "__ivm_hash", "__ivm_side", "w", "state", "t", "s", "q")
"""Columns with names that our own columns and aliases have."""
ODD = ("select", "a b", "x.y", 'q"uote', "it's", "ti``ck", "日本 Straße", "ORDER", "1st", "%(x)s")
"""Names of columns as they stand between backticks."""
ITEMS = ", ".join(f"`{name}`" for name in ODD)
MODELS = {
    "odd_rows": f"select {ITEMS} from @`table` where `x.y` > 0",
    "odd_groups": "select `a b` as `the key`, `1st`, sum(`x.y`) as `sum(x)`, "
    "max(`ti``ck`) as `x.y`, count(distinct `日本 Straße`) as `select`, min(`it's`) as `it's` "
    "from @`table` group by `a b`, `1st` having sum(`x.y`) > 1 order by `sum(x)`",
    "odd_joined": 'select `from`.`a b`, `o t h e r`.`q"uote`, `from`.`%(x)s` '
    "from @`table` as `from` left join @`table` as `o t h e r` "
    'on `from`.`q"uote` = `o t h e r`.`ORDER` and `from`.`日本 Straße` <> `o t h e r`.`1st`',
    "odd_cte": "with `group by` as (select `a b` as `x y`, `x.y` as z from @`table`) "
    "select distinct `x y`, z from `group by` union select `ORDER`, 0 from @`table`",
    "ours_rows": "select `__ivm_count` as c, `__ivm_weight` as `weight`, `__ivm_hash` as h, w, "
    "state, t, s, q.q from @ours as q",
    "ours_groups": "select state.t, sum(state.`__ivm_count`) as w, max(state.`__ivm_weight`) as s, "
    "count(*) as q from @ours as state group by state.t",
    "ours_joined": "select t.`__ivm_side` as side, s.w as state from @ours as t "
    "left join @ours as s on t.w = s.t and t.`__ivm_hash` <> s.`__ivm_hash`",
    "two_schemas": "select a.k, a.v, b.v as other from @same as a "
    "join {{ target.schema }}_two.same as b on a.k = b.k",
    "three_parts": "select spark_catalog.{{ target.schema }}.same.k, x.v "
    "from spark_catalog.{{ target.schema }}.same "
    "left join `spark_catalog`.`{{ target.schema }}_two`.`SAME` x "
    "on x.k = spark_catalog.{{ target.schema }}.same.k",
    "mixed_case": "with q as (select K as key, V from @SAME) select Q.KEY, Sum(v) as Total "
    "from Q group by kEy",
}
CASE_SENSITIVE = {
    "two_aliases": "select q.v as low, Q.v as high from @same as q join @same as Q on q.k = Q.k",
    "two_ctes": "with q as (select k from @same), Q as (select v from @same) "
    "select k, count(*) as n from q, Q group by k",
    "other_case": "select k as Key, sum(v) as Total from @same group by k",
}


def created(name: str, columns: tuple[str, ...]) -> str:
    described = ", ".join(
        f"`{c}` {'string' if place % 2 else 'int'}" for place, c in enumerate(columns)
    )
    return f"create table {name} ({described}) using delta {MAPPED}"


def inserted(name: str, columns: tuple[str, ...], *numbers: int) -> str:
    rows = (
        ", ".join(f"'{n % 3}'" if place % 2 else str(n) for place, _ in enumerate(columns))
        for n in numbers
    )
    return f"insert into {name} values {', '.join(f'({row})' for row in rows)}"


class NamesSuite:
    queries: dict[str, str]
    settings: dict[str, str]

    @pytest.fixture(scope="class")
    def dbt_profile_target(
        self, spark_parameters: dict[str, str], target_with: TargetWith
    ) -> dict[str, object]:
        parameters = spark_parameters | TINY_TABLES | self.settings
        return target_with(parameters)

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        header = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
        return {
            f"{n}.sql": header + sql.replace("@", "{{ target.schema }}.")
            for n, sql in self.queries.items()
        }

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> Any:
        """What each run said, and the columns of each model after the last."""
        other = f"{warehouse.schema}_two"
        warehouse.sql(
            *(f"set {key} = {value}" for key, value in self.settings.items()),
            f"create schema {other}",
            created("`table`", ODD),
            created("ours", OURS),
            *(f"create table {s} (k int, v int) using delta {MAPPED}"
              for s in ("same", f"{other}.same")),
        )  # fmt: skip
        runs = []
        for batch in self.batches(other):
            warehouse.sql(*batch)
            responses = warehouse.run()
            runs.append((responses, warehouse.all_differences(self.queries)))
        columns = {
            name: [warehouse.columns(text) for text in (f"select * from {name}", query)]
            for name, query in warehouse.queries.items()
        }
        yield runs, columns
        warehouse.sql(f"drop schema {other} cascade")

    @staticmethod
    def batches(other: str) -> tuple[tuple[str, ...], ...]:
        return (
            (
                inserted("`table`", ODD, 1, 2, 3, 3),
                inserted("ours", OURS, 1, 2, 3, 3),
                "insert into same values (1, 1), (2, 2), (2, 3)",
                f"insert into {other}.same values (1, -1), (2, -2)",
            ),
            (
                inserted("`table`", ODD, 2, 4),
                "delete from `table` where `a b` = '1'",
                "update ours set `__ivm_count` = 9, w = 1 where t = 2",
                "delete from ours where `__ivm_count` = 1",
                f"update {other}.same set v = v - 10 where k = 2",
                "insert into same values (3, 5)",
            ),
        )

    def test_equal_their_queries(self, runs: Any) -> None:
        for place, (responses, differences) in enumerate(runs[0]):
            assert not differences, place
            assert reasons(responses) == {}

    def test_keep_their_columns(self, runs: Any) -> None:
        for name, (shown, wanted) in runs[1].items():
            assert shown == wanted, name


class TestNames(NamesSuite):
    queries = MODELS
    settings: dict[str, str] = {}  # noqa: RUF012

    def test_a_source_is_read_from_its_own_schema(self, runs: Any, warehouse: Warehouse) -> None:
        """Only the other schema's table has negative values."""
        assert bag(warehouse.rows("select distinct v > 0, other < 0 from two_schemas")) == bag(
            [(True, True)]
        )


class TestCaseSensitiveNames(NamesSuite):
    queries = CASE_SENSITIVE
    settings = {"spark.sql.caseSensitive": "true"}  # noqa: RUF012
