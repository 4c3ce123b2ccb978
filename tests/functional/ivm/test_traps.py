"""The changes that a careless delta gets wrong, each by name; they share one project and two runs.

The table `facts` holds one set of rows for each trap on rows and groups, told apart by the column
`trap`; what needs a table of its own has one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.functional.ivm.warehouse import FEED, Warehouse, bag

MAX, MIN = 9223372036854775807, -9223372036854775808

FACTS = """insert into facts values
    ('zero', 1, 'a', 5), ('zero', 2, 'b', 0),
    ('null', 1, 'a', 5), ('null', 2, 'a', null), ('null', 3, 'b', null),
    ('reborn', 1, 'a', 1), ('reborn', 2, 'a', 2),
    ('moving', 1, 'a', 1), ('moving', 2, 'a', 2), ('moving', 3, 'b', 3), ('moving', 4, 'c', 4),
    ('key to null', 1, 'a', 1), ('key to null', 2, 'a', 2), ('key to null', 3, 'b', 4),
    ('null key', 1, null, 1), ('null key', 2, null, 2), ('null key', 3, 'a', 3),
    ('null key', 4, null, null),
    ('copies', 1, 'a', 1), ('copies', 1, 'a', 1), ('copies', 1, 'a', 1), ('copies', 2, 'b', 2),
    ('copies', 2, 'b', 2), ('copies', 3, null, null), ('copies', 3, null, null),
    ('pairs', 1, 'a', 1), ('pairs', 2, 'a', 2), ('pairs', 3, 'b', 3), ('pairs', 4, 'b', 4),
    ('extremum', 1, 'a', 1), ('extremum', 2, 'a', 5), ('extremum', 3, 'a', 9),
    ('extremum', 4, 'b', 1), ('extremum', 5, 'b', 9), ('extremum', 6, 'b', 9),
    ('extremum beaten', 1, 'a', 3), ('extremum beaten', 2, 'a', 7),
    ('extremum worse', 1, 'a', 3), ('extremum worse', 2, 'a', 7), ('extremum worse', 3, 'a', 5),
    ('filter', 1, 'in', 100), ('filter', 2, 'out', 200)"""

CHANGES = (
    # the same row inserted and deleted in one batch
    "insert into facts values ('passing', 1, 'a', 1), ('zero', 9, 'b', 77)",
    "delete from facts where trap = 'passing' or (trap = 'zero' and id = 9)",
    "insert into facts values ('zero', 3, 'a', -5), ('zero', 4, 'c', 0), ('reborn', 3, 'a', 8), "
    "('copies', 1, 'a', 1), ('copies', 4, 'd', 4), ('copies', 4, 'd', 4), ('pairs', 5, 'a', 5), "
    "('pairs', 6, 'c', 6), ('pairs', 7, 'c', 7), ('null key', 5, null, 5), "
    "('extremum beaten', 3, 'a', 1), ('extremum beaten', 4, 'a', 8), "
    "('extremum worse', 4, 'a', 4), ('extremum worse', 5, 'a', 6)",
    "delete from facts where (trap = 'null' and id = 1) or (trap = 'reborn' and id < 3) "
    "or (trap = 'null key' and id = 1) or (trap = 'copies' and id in (2, 3)) "
    "or (trap = 'pairs' and id in (2, 3)) or (trap = 'extremum' and id in (1, 3, 5)) "
    "or (trap = 'extremum beaten' and id in (1, 2)) or (trap = 'extremum worse' and id in (1, 2))",
    "insert into facts values ('copies', 3, null, null)",
    "update facts set k = 'b' where trap = 'moving' and id in (1, 4)",
    "update facts set k = null where trap = 'key to null' and id = 1",
    "update facts set k = if(k = 'in', 'out', 'in') where trap = 'filter'",
)

HEADER = "{{ config(materialized='ivm') }}\n"
MODELS = {
    "totals": "select trap, k, count(*) as n, count(v) as vs, sum(v) as total, avg(v) as mean, "
    "min(v) as low, max(v) as high from @facts group by trap, k",
    "bags": "select trap, id, k, v from @facts",
    "different": "select distinct trap, k, v from @facts",
    "pairs": "select a.trap, a.id as one, b.id as other from @facts as a join @facts as b "
    "on a.trap = b.trap and a.k = b.k and a.id < b.id",
    "labelled": "select f.trap, l.label, count(*) as n, sum(f.v) as total "
    "from @facts as f join @labels as l on f.k = l.k group by f.trap, l.label",
    "filtered": "select trap, id, v from @facts where k = 'in'",
    "whole": "select count(*) as n, count(v) as vs, sum(v) as total, avg(v) as mean, "
    "min(v) as low, max(v) as high from @emptied",
    "whole_other": "select count(distinct v) as n, sum(w) as total from @emptied",
    "overwritten_rows": "select k, v from @overwritten",
    "overwritten_groups": "select k, sum(v) as total, max(v) as high from @overwritten group by k",
    "child": "select k, sum(v) as total, count(*) as n from {{ ref('parent') }} group by k",
    "child_rows": "select k, v from {{ ref('parent') }} where v > 1",
    "huge_sums": "select k, sum(v) as total, count(*) as n from @huge group by k",
    "huge_means": "select k, avg(v) as mean from @huge group by k",
    "quiet": "select k, count(*) as n from @unused group by k",
    "partitioned_groups": "select p, sum(v) as total from @partitioned group by p",
    "named": "select s.`t` as `T`, s.`s` as `s.x y`, sum(s.`ivm_change`) as `State`, "
    "max(s.`__weight`) as `ivm_stale` from @odd as s group by s.`t`, s.`s`",
    "named_rows": "select t.*, t.`t` as `target`, t.`a b` as `ÄÖ` from @odd as t",
    "nested": "select d, r, count(*) as n from @typed group by d, r",
    "nested_rows": "select * from @typed",
    "parent": "{{ config(materialized='table') }} select k, v from @feeding",
}


def table(name: str, columns: str, *rows: str, extra: str = FEED) -> tuple[str, ...]:
    created = f"create table {name} ({columns}) using delta {extra}"
    return (created, *(f"insert into {name} values {part}" for part in rows))


class TestTraps:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            f"{name}.sql": (HEADER if "config(" not in sql else "")
            + sql.replace("@", "{{ target.schema }}.")
            for name, sql in MODELS.items()
        }

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[dict[str, dict[str, Any]]]:
        """Three runs: the first build; after the changes; after a few more."""
        by_partition = f"partitioned by (p) {FEED}"
        mapped = (
            "tblproperties ('delta.enableChangeDataFeed' = 'true', "
            "'delta.columnMapping.mode' = 'name')"
        )
        warehouse.sql(
            *table("facts", "trap string, id int, k string, v bigint"),
            FACTS,
            *table("labels", "k string, label string", "('a', 'A'), ('b', 'B'), ('b', 'B2'), "
                   "(null, 'none')"),
            *table("emptied", "v bigint, w double", "(1, 1.5), (2, null), (null, 2.5)"),
            *table("overwritten", "k string, v int", "('a', 1), ('a', 2), ('b', 3), ('c', null)"),
            *table("feeding", "k string, v int", "('a', 1), ('a', 2), ('b', 3)"),
            *table("huge", "k string, v bigint", f"('cancels', 1), ('min', {MIN}), ('max', {MAX})"),
            *table("unused", "k string, v int", "('a', 1), ('b', 2)"),
            *table("partitioned", "p int, v int", "(1, 1), (1, 2), (2, 3), (null, 4)",
                   extra=by_partition),
            *table("odd", "t string, s string, ivm_change int, `a b` int, __weight int",
                   "('x', 'y', 1, 10, 7), ('x', null, 2, 20, 8)", extra=mapped),
            *table("typed", "d double, r struct<a: int, b: array<string>>, w binary, m timestamp",
                   "(double('NaN'), struct(1, array('x', null)), x'01', timestamp'2024-01-01'), "
                   "(-0.0, struct(null, null), null, null), "
                   "(0.0, struct(null, null), x'', timestamp'2024-01-01 10:00:00')"),
        )  # fmt: skip
        first = warehouse.run()
        warehouse.sql(
            *CHANGES,
            "delete from emptied",
            "insert overwrite overwritten values ('a', 1), ('b', 5), ('d', 6), ('d', 6)",
            "update feeding set v = 7 where k = 'b'",
            "insert into feeding values ('c', null)",
            f"insert into huge values ('cancels', {MAX}), ('cancels', {MAX}), ('cancels', {MAX}), "
            f"('born', {MIN}), ('born', {MAX}), ('min', 5)",
            f"delete from huge where (k = 'cancels' and v = {MAX}) or (k = 'min' and v = {MIN})",
            f"update huge set v = {MAX - 1} where k = 'max'",
            "insert into huge values ('max', 1)",
            "update unused set v = v + 1",
            "delete from partitioned where p = 1",
            "insert into partitioned values (3, 5), (null, 6)",
            "insert into odd values ('x', 'y', 5, 30, null), ('z', 'z', null, null, 1)",
            "delete from odd where s is null",
            "insert into typed values (double('NaN'), struct(1, array('x', null)), x'01', "
            "timestamp'2024-01-01'), (0.0, struct(null, null), null, null)",
            "delete from typed where w = x''",
        )
        second = warehouse.run()
        ivm = [name for name in MODELS if name != "parent"]
        type(self).shown = {name: warehouse.rows(f"select * from {name}") for name in ivm}
        type(self).wrong = [text for name in ivm for text in warehouse.differences(name)]
        warehouse.sql(
            "insert into emptied values (4, 4.5)",
            "insert into facts values ('zero', 5, 'a', 3)",
            "insert into unused values ('b', 3)",
        )
        third = warehouse.run()
        return [first, second, third]

    shown: dict[str, list[tuple[Any, ...]]]
    wrong: list[str]

    @pytest.fixture(autouse=True)
    def _ran(self, runs: Any) -> None:
        """Every test looks at what the runs left."""

    def of(self, trap: str, model: str = "totals") -> dict[Any, tuple[Any, ...]]:
        """The rows of a trap after the changes, by the column that follows its name."""
        rows = [row for row in self.shown[model] if row[0] == trap]
        found = {row[1]: row[2:] for row in rows}
        assert len(found) == len(rows), rows
        return found

    def test_every_model_equals_its_query(self, warehouse: Warehouse) -> None:
        assert not [text for text in self.wrong if not text.startswith("huge_means")]
        warehouse.check(*(self.shown.keys() - {"huge_means"}))

    def test_every_model_was_refreshed_incrementally(self, runs: Any) -> None:
        kinds = {name: runs[1][name]["refresh_kind"] for name in self.shown}
        assert kinds == dict.fromkeys(self.shown, "incremental"), {
            name: runs[1][name].get("reason") for name in self.shown
        }

    def test_a_group_with_a_zero_sum_stays(self) -> None:
        assert self.of("zero")["a"] == (2, 2, 0, 0.0, -5, 5)
        assert self.of("zero")["b"] == (1, 1, 0, 0.0, 0, 0)
        assert self.of("zero")["c"] == (1, 1, 0, 0.0, 0, 0)

    def test_a_sum_becomes_null_when_its_last_value_leaves(self) -> None:
        assert self.of("null") == {
            "a": (1, 0, None, None, None, None),
            "b": (1, 0, None, None, None, None),
        }

    def test_a_group_is_deleted_and_recreated_in_one_batch(self) -> None:
        assert self.of("reborn") == {"a": (1, 1, 8, 8.0, 8, 8)}

    def test_a_row_inserted_and_deleted_in_one_batch(self) -> None:
        assert self.of("passing") == {}
        assert not [row for row in self.shown["bags"] if row[0] == "passing"]
        assert not [row for row in self.shown["different"] if 77 in row]

    def test_an_update_moves_a_row_to_another_group(self) -> None:
        assert self.of("moving") == {"a": (1, 1, 2, 2.0, 2, 2), "b": (3, 3, 8, 8 / 3, 1, 4)}

    def test_an_update_moves_rows_into_and_out_of_a_filter(self) -> None:
        assert self.shown["filtered"] == [("filter", 2, 200)]

    def test_a_join_key_becomes_null(self) -> None:
        assert self.of("key to null", "labelled") == {"A": (1, 2), "B": (1, 4), "B2": (1, 4)}
        assert self.of("key to null")[None] == (1, 1, 1, 1.0, 1, 1)

    def test_null_group_keys(self) -> None:
        assert self.of("null key")[None] == (3, 2, 7, 3.5, 2, 5)

    def test_full_duplicates(self) -> None:
        copies = bag(row for row in self.shown["bags"] if row[0] == "copies")
        assert copies == bag(
            [("copies", 1, "a", 1)] * 4 + [("copies", 4, "d", 4)] * 2 + [("copies", 3, None, None)]
        )
        different = bag(row for row in self.shown["different"] if row[0] == "copies")
        assert different == bag([("copies", "a", 1), ("copies", "d", 4), ("copies", None, None)])

    def test_both_sides_of_a_self_join_change(self) -> None:
        pairs = bag(row[1:] for row in self.shown["pairs"] if row[0] == "pairs")
        assert pairs == bag([(1, 5), (6, 7)])

    def test_an_extremum_is_deleted(self) -> None:
        """Of 1, 5, 9 only 5 is left; of 1, 9, 9 one 9 leaves."""
        assert self.of("extremum") == {"a": (1, 1, 5, 5.0, 5, 5), "b": (2, 2, 10, 5.0, 1, 9)}

    def test_an_extremum_is_deleted_while_a_better_one_arrives(self) -> None:
        assert self.of("extremum beaten") == {"a": (2, 2, 9, 4.5, 1, 8)}

    def test_an_extremum_is_deleted_while_a_worse_one_arrives(self) -> None:
        assert self.of("extremum worse") == {"a": (3, 3, 15, 5.0, 4, 6)}

    def test_a_global_aggregate_over_an_emptied_table(self, warehouse: Warehouse) -> None:
        assert self.shown["whole"] == [(0, 0, None, None, None, None)]
        assert self.shown["whole_other"] == [(0, None)]
        assert warehouse.rows("select * from whole") == [(1, 1, 4, 4.0, 4, 4)]
        assert warehouse.rows("select * from whole_other") == [(1, 4.5)]

    def test_insert_overwrite_of_a_source(self) -> None:
        assert bag(self.shown["overwritten_rows"]) == bag([("a", 1), ("b", 5), ("d", 6), ("d", 6)])
        assert bag(self.shown["overwritten_groups"]) == bag(
            [("a", 1, 1), ("b", 5, 5), ("d", 12, 6)]
        )

    def test_a_table_model_below_is_rebuilt_in_the_same_run(self, runs: Any) -> None:
        assert bag(self.shown["child"]) == bag([("a", 3, 2), ("b", 7, 1), ("c", None, 1)])
        assert bag(self.shown["child_rows"]) == bag([("a", 2), ("b", 7)])
        assert runs[1]["child"]["rows_inserted"] == 1
        assert runs[1]["child"]["rows_updated"] == 1
        assert runs[1]["child"]["rows_deleted"] == 0
        assert runs[2]["child"]["rows_affected"] == 0, "the rebuild changed no row"

    def test_a_batch_overflows_only_while_it_is_summed(self) -> None:
        assert bag(self.shown["huge_sums"]) == bag(
            [("cancels", 1, 1), ("min", 5, 1), ("max", MAX, 2), ("born", -1, 2)]
        )

    def test_the_mean_of_huge_numbers(self) -> None:
        """Spark adds up doubles for the mean of bigints, and so loses what is below 2**53."""
        assert bag(self.shown["huge_means"]) == bag(
            [("cancels", 1.0), ("min", 5.0), ("max", float(MAX) / 2), ("born", 0.0)]
        )

    def test_a_source_moves_but_the_view_does_not_change(
        self, runs: Any, warehouse: Warehouse
    ) -> None:
        response = runs[1]["quiet"]
        assert response["rows_affected"] == 0
        assert response["_message"] == "INCREMENTAL +0 ~0 -0"
        (source,) = response["sources"].values()
        assert source["to"] > source["from"]
        (again,) = runs[2]["quiet"]["sources"].values()
        assert again["from"] == source["to"], "the watermark moved"
        assert bag(warehouse.rows("select * from quiet")) == bag([("a", 1), ("b", 2)])
        assert runs[2]["quiet"]["_message"] == "INCREMENTAL +0 ~1 -0"

    def test_a_partition_is_dropped(self) -> None:
        assert bag(self.shown["partitioned_groups"]) == bag([(2, 3), (3, 5), (None, 10)])

    def test_columns_named_like_the_adapters_own_aliases(self, warehouse: Warehouse) -> None:
        names = [name for name, _ in warehouse.columns("select * from named")]
        assert names == ["T", "s.x y", "State", "ivm_stale"]
        assert bag(self.shown["named"]) == bag([("x", "y", 6, 7), ("z", "z", None, 1)])
        rows = [("x", "y", 1, 10, 7, "x", 10), ("x", "y", 5, 30, None, "x", 30)]
        assert bag(self.shown["named_rows"]) == bag([*rows, ("z", "z", None, None, 1, "z", None)])

    def test_nan_negative_zero_and_nested_group_keys(self) -> None:
        counts = sorted(row[2] for row in self.shown["nested"])
        assert counts == [2, 2]

    def test_unchanged_models_have_nothing_to_do_in_the_last_run(self, runs: Any) -> None:
        moved = {"totals", "bags", "different", "pairs", "labelled", "filtered", "whole",
                 "whole_other", "quiet", "child", "child_rows"}  # fmt: skip
        still = {n: runs[2][n]["refresh_kind"] for n in self.shown if n not in moved}
        assert set(still.values()) == {"none"}, still

    def test_averages_have_the_type_and_value_of_the_query(self, warehouse: Warehouse) -> None:
        assert warehouse.columns("select * from totals") == warehouse.columns(
            warehouse.queries["totals"]
        )
        assert Decimal(self.of("moving")["b"][3]) == Decimal(8 / 3)
