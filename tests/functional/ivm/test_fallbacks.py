"""Every reason for a full refresh that can be provoked: the code, and that the rows are right."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, models_of, reasons

HEADER = "{{ config(materialized='ivm') }}\n"

LASTING = {
    "random": (
        "EXPRESSION_NOT_DETERMINISTIC",
        "select k, v from @facts where rand() < 2 or uuid() = k",
    ),
    "today": (
        "EXPRESSION_NOT_DETERMINISTIC",
        "select k, v, date'2020-01-01' < 'today' as late from @facts",
    ),
    "recursive": (
        "OPERATOR_NOT_SUPPORTED",
        "with recursive n as (select 1 as i union all select i + 1 from n where i < 3) "
        "select i, k from n join @facts on v = i",
    ),
    "limited_inside": (
        "OPERATOR_NOT_SUPPORTED",
        "select k, count(*) as n from (select * from @facts order by v, k limit 3) group by k",
    ),
    "scalar_subquery": (
        "OPERATOR_NOT_SUPPORTED",
        "select f.k, f.v from @facts as f "
        "where f.v >= (select max(g.v) from @facts as g where g.v <= f.v)",
    ),
    "running": (
        "WINDOW_WITHOUT_PARTITION_BY",
        "select k, v, sum(v) over (order by v, k) as running from @facts",
    ),
    "mapped": ("MAP_TYPE_NOT_SUPPORTED", "select k, map(k, v) as m from @facts where k <> ''"),
    "generated": ("OPERATOR_NOT_SUPPORTED", "select id, id * 2 as twice from range(3)"),
    "not_delta": ("INPUT_NOT_IN_DELTA", "select k, count(*) as n from @files group by k"),
    "star": (
        "WINDOW_WITHOUT_PARTITION_BY",
        "select *, count(*) over () as among from @facts",
    ),
    "half_delta": (
        "INPUT_NOT_IN_DELTA",
        "select f.k, f.v from @facts as f join @files as p on f.k = p.k",
    ),
}

ONCE = {
    "switched_off": "select k, sum(v) as total from @switched group by k",
    "rebuilt": "select k, sum(v) as total from @rebuilt_table group by k",
    "retyped": "select k, v from @retyped_table",
    "renamed_column": "select k from @renamed_table",
    "widened": "select * from @widened_table",
    "recreated": "select k, sum(v) as total from @recreated_table group by k",
    "recreated_longer": "select k, v from @recreated_longer_table",
    "vacuumed": "select k, sum(v) as total from @vacuumed_table group by k",
    "lost_state": "select k, sum(v) as total from @facts group by k",
    "touched_state": "select k, sum(v) as total from @facts group by k",
    "replaced_state": "select k, sum(v) as total from @facts group by k",
    "optimized_state": "select k, sum(v) as total from @facts group by k",
    "lost_view": "select k, sum(v) as total from @facts group by k",
    "unused_column_added": "select k, sum(v) as total from @grown_table group by k",
    "source_optimized": "select k, sum(v) as total from @tidied_table group by k",
}
EXPECTED = {
    "switched_off": "CDF_UNAVAILABLE",
    "rebuilt": "CDF_UNAVAILABLE",
    "retyped": "DATA_SCHEMA_CHANGED",
    "renamed_column": "DATA_SCHEMA_CHANGED",
    "widened": "QUERY_FINGERPRINT_CHANGED",
    "recreated": "SOURCE_REPLACED",
    "recreated_longer": "SOURCE_REPLACED",
    "vacuumed": "CHANGE_SET_MISSING",
    "lost_state": "STATE_MISSING",
    "touched_state": "STATE_MODIFIED",
    "replaced_state": "STATE_MODIFIED",
}


class TestQueriesThatAreNotMaintained:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of({name: sql for name, (_, sql) in LASTING.items()}, HEADER)

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[dict[str, dict[str, Any]]]:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "create table files (k string) using csv",
            "insert into facts values ('a', 1), ('a', 2), ('b', 3), (null, null)",
            "insert into files values ('a'), ('a'), (null)",
        )
        first = warehouse.run()
        wrong = [text for name in LASTING for text in warehouse.differences(name)]
        warehouse.sql(
            "insert into facts values ('c', 2)",
            "delete from facts where v = 1",
            "insert into files values ('b')",
        )
        second = warehouse.run()
        wrong += [text for name in LASTING for text in warehouse.differences(name)]
        warehouse.sql("insert into files values ('c')")
        third = warehouse.run()
        wrong += [text for name in LASTING for text in warehouse.differences(name)]
        type(self).wrong = wrong
        return [first, second, third]

    wrong: list[str]

    @pytest.mark.parametrize("name", LASTING)
    def test_the_rows_are_right_after_every_run(self, runs: Any, name: str) -> None:
        assert not [text for text in self.wrong if text.startswith(f"{name}: ")]

    @pytest.mark.parametrize("name", LASTING)
    def test_each_query_has_its_reason(self, runs: Any, name: str) -> None:
        code, _ = LASTING[name]
        assert runs[0][name]["refresh_kind"] == "initial"
        assert runs[0][name]["reason"]["code"] == code
        if name == "generated":
            return  # it reads nothing that could move
        assert runs[1][name]["refresh_kind"] == runs[1][name]["technique"] == "full"
        reason = runs[1][name]["reason"]
        assert reason["code"] == code
        assert reason["sentence"]
        assert reason["remedy"]
        assert code in runs[1][name]["_message"]
        assert runs[1][name]["_message"].startswith("FULL ")

    def test_a_result_that_may_change_without_its_sources_is_always_refreshed(
        self, runs: Any
    ) -> None:
        still = kinds(runs[2])
        assert {n for n, kind in still.items() if kind == "full"} >= {
            "random",
            "today",
            "not_delta",
            "half_delta",
        }
        assert still["running"] == still["mapped"] == still["scalar_subquery"] == "none"

    def test_the_view_has_the_columns_of_its_query(self, runs: Any, warehouse: Warehouse) -> None:
        for name in LASTING:
            shown = warehouse.columns(f"select * from {name}")
            assert shown == warehouse.columns(warehouse.queries[name])

    def test_a_changed_literal_or_comment_end_is_noticed(
        self, runs: Any, warehouse: Warehouse
    ) -> None:
        """White space counts inside a literal, and a line's end ends a comment."""
        texts = (
            "select 'a b' as text, count(*) over () as n -- what\n, k from @facts",
            "select 'a  b' as text, count(*) over () as n -- what\n, k from @facts",
            "select 'a  b' as text, count(*) over () as n -- what , k\nfrom @facts",
        )
        for text in texts:
            warehouse.write("reworded", HEADER + text.replace("@", "{{ target.schema }}."))
            warehouse.run("reworded")
            warehouse.check("reworded")

    def test_a_star_includes_a_new_source_column(self, runs: Any, warehouse: Warehouse) -> None:
        warehouse.sql("alter table facts add column w int", "insert into facts values ('w', 1, 2)")
        warehouse.run("star")
        warehouse.check("star")
        names = [name for name, _ in warehouse.columns("select * from star")]
        assert names == ["k", "v", "w", "among"]


class TestRefreshesThatCannotBeIncremental:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(ONCE, HEADER)

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[dict[str, dict[str, Any]]]:
        tables = ("facts", "switched", "rebuilt_table", "recreated_table", "grown_table",
                  "recreated_longer_table", "vacuumed_table", "tidied_table",
                  "widened_table")  # fmt: skip
        mapping = "'delta.columnMapping.mode' = 'name', 'delta.enableChangeDataFeed' = 'true'"
        for name in tables:
            warehouse.sql(f"create table {name} (k string, v int) using delta {FEED}")
        for name in ("retyped_table", "renamed_table"):
            warehouse.sql(
                f"create table {name} (k string, v int) using delta tblproperties ({mapping})"
            )
        tables = (*tables, "retyped_table", "renamed_table")
        for name in tables:
            warehouse.sql(f"insert into {name} values ('a', 1), ('a', 2), ('b', 3)")
        first = warehouse.run()
        warehouse.check(*ONCE)
        for name in tables:
            warehouse.sql(f"insert into {name} values ('b', 4), ('c', 5)")
        columns = "k string, v int"
        warehouse.sql(
            "alter table switched set tblproperties ('delta.enableChangeDataFeed' = 'false')",
            "insert into switched values ('d', 6)",
            "create or replace table rebuilt_table using delta "
            "tblproperties ('delta.enableChangeDataFeed' = 'false') as select 'x' as k, 1 as v",
            "alter table retyped_table drop column v",
            "alter table retyped_table add column v bigint",
            "insert into retyped_table values ('e', 5000000000)",
            "alter table renamed_table rename column v to w",
            "alter table widened_table add column w int",
            "insert into widened_table values ('w', 1, 2)",
            "alter table grown_table add column w int",
            "insert into grown_table values ('w', 1, 2)",
            "drop table recreated_table",
            f"create table recreated_table ({columns}) using delta {FEED}",
            "insert into recreated_table values ('new', 1)",
            # as many commits as the old one had, so that its versions look like a small change
            "drop table recreated_longer_table",
            f"create table recreated_longer_table ({columns}) using delta {FEED}",
            "insert into recreated_longer_table values ('new', 1)",
            "insert into recreated_longer_table values ('new', 2)",
            "insert into recreated_longer_table values ('new', 3)",
            "delete from vacuumed_table where k = 'a'",
            "update vacuumed_table set v = 40 where v = 4",
            "set spark.databricks.delta.retentionDurationCheck.enabled = false",
            "vacuum vacuumed_table retain 0 hours",
            "optimize tidied_table",
            "drop table lost_state__ivm",
            "insert into touched_state__ivm select * from touched_state__ivm limit 1",
            "create or replace table replaced_state__ivm using delta as "
            "select * from replaced_state__ivm",
            "optimize optimized_state__ivm",
            "alter table optimized_state__ivm set tblproperties ('note' = 'kept')",
            "drop view lost_view",
        )
        second = warehouse.run()
        type(self).wrong = [text for name in ONCE for text in warehouse.differences(name)]
        warehouse.sql(
            "alter table switched set tblproperties ('delta.enableChangeDataFeed' = 'true')",
            *(f"insert into {name} (k) values ('z')" for name in tables if name != "rebuilt_table"),
        )
        third = warehouse.run()
        return [first, second, third]

    wrong: list[str]

    @pytest.mark.parametrize("name", EXPECTED)
    def test_each_accident_has_its_reason(self, runs: Any, name: str) -> None:
        response = runs[1][name]
        assert response.get("reason"), response
        assert response["reason"]["code"] == EXPECTED[name]
        assert response["refresh_kind"] in ("full", "initial")

    @pytest.mark.parametrize("name", sorted(ONCE.keys() - EXPECTED.keys()))
    def test_harmless_accidents_stay_incremental(self, runs: Any, name: str) -> None:
        assert runs[1][name]["refresh_kind"] == "incremental", runs[1][name]

    @pytest.mark.parametrize("name", ONCE)
    def test_the_rows_are_right(self, runs: Any, name: str) -> None:
        assert not [text for text in self.wrong if text.startswith(f"{name}: ")]

    def test_the_next_refresh_is_incremental_again(self, runs: Any, warehouse: Warehouse) -> None:
        again = {
            n: kind for n, kind in kinds(runs[2]).items() if n not in ("rebuilt", "switched_off")
        }
        assert set(again.values()) == {"incremental"}, again
        assert not set(reasons(runs[2])) - {"rebuilt", "switched_off"}
        warehouse.check(*ONCE)

    def test_foreign_properties_of_the_state_stay(self, runs: Any, warehouse: Warehouse) -> None:
        properties = dict(warehouse.rows("show tblproperties optimized_state__ivm"))
        assert properties["note"] == "kept"


class TestSourcesWithoutAFeed:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of({"sums": "select k, sum(v) as total from @facts group by k"}, HEADER)

    def test_are_refreshed_in_full_with_a_remedy(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            "create table facts (k string, v int) using delta "
            "tblproperties ('delta.enableChangeDataFeed' = 'false')",
            "insert into facts values ('a', 1), ('b', 2)",
        )
        assert kinds(warehouse.run()) == {"sums": "initial"}
        warehouse.sql("insert into facts values ('a', 5)")
        response = warehouse.run()["sums"]
        assert response["reason"]["code"] == "CDF_UNAVAILABLE"
        assert "facts" in response["reason"]["detail"]
        assert "delta.enableChangeDataFeed = true" in response["reason"]["remedy"]
        assert bag(warehouse.rows("select * from sums")) == bag([("a", 6), ("b", 2)])


class TestCharColumns:
    """Delta's MERGE fails on a CHAR(n) column of its source, and no DESCRIBE tells of one."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of({"codes": "select c, v from @coded"}, HEADER)

    def test_losing_rows_rebuilds_the_view(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            f"create table coded (c char(3), v int) using delta {FEED}",
            "insert into coded values ('a', 1), ('b', 2)",
        )
        assert kinds(warehouse.run()) == {"codes": "initial"}
        warehouse.sql("insert into coded values ('a', 5)")
        assert kinds(warehouse.run()) == {"codes": "incremental"}, "by an INSERT"
        warehouse.check("codes")
        warehouse.sql("delete from coded where v = 1")
        assert reasons(warehouse.run()) == {"codes": "OPERATOR_NOT_SUPPORTED"}
        warehouse.check("codes")
