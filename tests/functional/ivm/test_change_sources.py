"""The same views over each way to read a source's changes: Delta's feed, row tracking, Iceberg."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from tests.budget import budget, only_long
from tests.conftest import ICEBERG
from tests.functional.ivm.warehouse import FEED, FINDS_TRACKED, TRACKED, Warehouse, kinds, reasons

COPIED, MERGED = (
    ", ".join(f"'write.{kind}.mode' = '{mode}'" for kind in ("delete", "update", "merge"))
    for mode in ("copy-on-write", "merge-on-read")
)
HEADER = "{{ config(materialized='ivm') }}\n"
VIEWS = {
    "sums": "select k, sum(v) as total, count(*) as n, max(v) as most from @facts group by k",
    "filtered": "select id, k, v + 1 as v from @facts where v > 1",
    "copies": "select k, v from @facts",
    "of_one_key": "select id, v from @facts where k = 'a' or k = 'b' and v > 2",
    "joined": "select n.name, f.v from @facts f left join @names n on n.k = f.k",
    "joined_sums": "select n.name, sum(f.v) as total, avg(f.v) as mean "
    "from @facts f join @names n on n.k = f.k group by n.name",
    "with_itself": "select a.id, b.v from @facts a join @facts b on a.k = b.k and a.id < b.id",
    "missing": "select * from @names n where not exists (select 1 from @facts f where f.k = n.k)",
    "distinct_keys": "select distinct k from @facts",
    "ranked": "select * from (select id, k, v, row_number() over "
    "(partition by k order by v desc, id) as place from @facts) where place = 1",
}
"""@facts is a source of the kind under test, @names one with Delta's change feed."""
VIEWS = budget({n: VIEWS[n] for n in ("sums", "of_one_key", "joined", "missing", "ranked")}, VIEWS)
CHANGES = {
    "inserts": ("insert into @ values (10, 'c', 5, null), (11, 'c', 5, null)",),
    "updates": ("update @ set v = v + 10 where k = 'a'",),
    "deletes": ("delete from @ where id in (2, 10)",),
    "a_merge": (
        "merge into @ t using (select 3 as id union all select 20) s on t.id = s.id "
        "when matched then update set k = 'd' "
        "when not matched then insert (id, k, v, w) values (s.id, 'e', 1, null)",
    ),
    "rows_that_come_and_go": (
        "insert into @ values (30, 'a', 1, null)",
        "update @ set v = 99 where id = 30",
        "delete from @ where id = 30",
        "delete from @ where id = 5",
    ),
    "copies_of_a_row": (
        "insert into @ select * from @ where id = 11",
        "update @ set v = v where id = 1",
    ),
    "an_overwrite": ("insert overwrite @ select id, k, v + id % 2, w from @",),
    "changes_on_both_sides": (
        "update names set name = 'first' where k = 'a'",
        "insert into @ values (50, 'a', 7, 1)",
    ),
    "all_rows_go": ("delete from @ where true",),
    "they_come_back": (
        "insert into @ values (1, 'a', 1, 0), (2, 'b', 2, 0), (3, 'b', null, 0), (4, null, 4, 0)",
    ),
}
ROUNDS = {
    "rows_come_and_change": ("inserts", "updates"),
    "rows_go": ("deletes", "a_merge", "rows_that_come_and_go", "copies_of_a_row"),
    "tables_are_overwritten": ("an_overwrite", "changes_on_both_sides"),
    "all_rows_go_and_come": ("all_rows_go", "they_come_back"),
}
TRIED = {
    name: tuple(statement for change in changes for statement in CHANGES[change])
    for name, changes in budget(ROUNDS, {change: (change,) for change in CHANGES}).items()
}


class _ChangeSource:
    """The tests of one kind of source."""

    CREATED: ClassVar[str]
    DATABASE: ClassVar[str] = ""
    COMPACTED: ClassVar[str]

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        at = {"facts": "{{ source('facts', 'facts') }}", "names": "{{ target.schema }}.names"}
        texts = {}
        for name, text in VIEWS.items():
            for table, relation in at.items():
                text = text.replace(f"@{table}", relation)
            texts[f"{name}.sql"] = HEADER + text
        database = f"database: {self.DATABASE}, " if self.DATABASE else ""
        place = f"{database}schema: '{{{{ target.schema }}}}'"
        source = f"{{name: facts, {place}, tables: [{{name: facts}}]}}"
        return {**texts, "sources.yml": f"sources: [{source}]"}

    @pytest.fixture(scope="class")
    def table(self, warehouse: Warehouse) -> str:
        """The name of the source in the statements of a test."""
        return ".".join(part for part in (self.DATABASE, warehouse.schema, "facts") if part)

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse, table: str) -> Iterator[Warehouse]:
        if self.DATABASE:
            warehouse.sql(f"create namespace if not exists {self.DATABASE}.{warehouse.schema}")
        warehouse.sql(
            f"create table {table} (id int, k string, v int, w int) {self.CREATED}",
            f"insert into {table} values (1, 'a', 1, 0), (2, 'a', 2, 0), (3, 'b', 3, 0), "
            "(4, null, 4, 0), (5, 'b', null, 0)",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into names values ('a', 'one'), ('b', 'two'), ('b', 'again'), ('z', 'none')",
        )
        warehouse.run()
        warehouse.check(*VIEWS)
        yield warehouse
        warehouse.sql(f"drop table if exists {table}")

    @pytest.mark.parametrize("change", TRIED)
    def test_changes_are_followed_by_rows(self, built: Warehouse, table: str, change: str) -> None:
        built.sql(*(statement.replace("@", table) for statement in TRIED[change]))
        responses = built.run()
        assert {n: r["reason"] for n, r in responses.items() if r.get("reason")} == {}
        assert set(kinds(responses).values()) <= {"incremental", "none"}
        built.check(*VIEWS)

    def test_nothing_is_done_for_files_that_are_rewritten(
        self, built: Warehouse, table: str
    ) -> None:
        built.sql(f"insert into {table} values (60, 'a', 1, 1)")
        built.run()
        built.sql(self.COMPACTED.replace("@", table))
        assert set(kinds(built.run()).values()) == {"none"}
        _is_followed(built, f"insert into {table} values (61, 'a', 1, 1)")

    @only_long
    def test_other_columns_lose_no_rows(self, built: Warehouse, table: str) -> None:
        built.sql(f"alter table {table} add column x int")
        built.run()
        built.check(*VIEWS)
        built.sql(f"insert into {table} values (40, null, null, 1, 2), (41, 'b', 2, 1, 2)")
        built.run()
        built.check(*VIEWS)
        _is_followed(built, f"insert into {table} values (42, 'b', 2, 1, 2)")

    @only_long
    def test_a_replaced_table_is_read_again(self, built: Warehouse, table: str) -> None:
        built.sql(
            f"create or replace table {table} {self.CREATED} as "
            "select id, k, id + 1 as v, 0 as w from range(5) join "
            "(select 'b' as k union all select 'n')"
        )
        built.run()
        built.check(*VIEWS)
        _is_followed(built, f"insert into {table} values (42, 'b', 2, 1)")

    @only_long
    def test_a_table_that_was_dropped_and_created_is_read_again(
        self, built: Warehouse, table: str
    ) -> None:
        built.sql(
            f"drop table {table}",
            f"create table {table} (id int, k string, v int, w int) {self.CREATED}",
        )
        built.run()
        built.check(*VIEWS)
        built.sql(f"insert into {table} values (41, 'b', 2, 1)")
        built.run()
        built.check(*VIEWS)
        _is_followed(built, f"insert into {table} values (42, 'b', 2, 1)")


@only_long  # most other tests are on sources with a feed
class TestChangeFeed(_ChangeSource):
    CREATED = f"using delta {FEED}"
    COMPACTED = "optimize @"


@pytest.mark.skipif(not FINDS_TRACKED, reason="no Spark with CHANGES")
class TestRowTracking(_ChangeSource):
    CREATED = f"using delta {TRACKED}"
    COMPACTED = "optimize @"


@pytest.mark.skipif(not ICEBERG, reason="no Iceberg for this Spark")
class TestIceberg(_ChangeSource):
    CREATED = f"using iceberg partitioned by (k) tblproperties ('format-version' = '2', {COPIED})"
    DATABASE = "ice"
    COMPACTED = (
        "call ice.system.rewrite_data_files(table => '@', options => map('rewrite-all', 'true'))"
    )

    def test_a_table_that_goes_back_to_a_snapshot_is_read_again(
        self, built: Warehouse, table: str
    ) -> None:
        built.sql(f"insert into {table} values (70, 'b', 1, 1)")
        built.run()
        (before,) = _snapshots(built, table)[-2:-1]
        built.sql(f"call ice.system.rollback_to_snapshot('{table}', {before})")
        assert set(reasons(built.run()).values()) == {"CHANGE_SET_MISSING"}
        built.check(*VIEWS)
        _is_followed(built, f"insert into {table} values (71, 'b', 1, 1)")

    @only_long
    def test_a_branch_is_another_table(self, built: Warehouse, table: str) -> None:
        built.run()
        built.sql(
            f"call ice.system.fast_forward('{table}', 'audit', 'main')",
            f"insert into {table}.branch_audit values (80, 'b', 1, 1)",
        )
        assert set(kinds(built.run()).values()) == {"none"}
        built.check(*VIEWS)
        _is_followed(built, f"call ice.system.fast_forward('{table}', 'main', 'audit')")

    @only_long
    def test_changes_of_expired_snapshots_are_read_again(
        self, built: Warehouse, table: str
    ) -> None:
        built.sql(
            f"insert into {table} values (90, 'b', 1, 1)",
            f"insert into {table} values (91, 'b', 1, 1)",
            f"call ice.system.expire_snapshots(table => '{table}', "
            "older_than => timestamp '2100-01-01', retain_last => 1)",
        )
        assert set(reasons(built.run()).values()) == {"CHANGE_SET_MISSING"}
        built.check(*VIEWS)

    def test_delete_files_are_not_read_as_changes(self, built: Warehouse, table: str) -> None:
        built.sql(
            f"alter table {table} set tblproperties ({MERGED})",
            f"insert into {table} select /*+ coalesce(1) */ 92 + id, 'b', 1, 1 from range(2)",
        )
        built.run()
        built.check(*VIEWS)
        built.sql(f"delete from {table} where id = 92")
        assert set(reasons(built.run()).values()) == {"CHANGE_SET_MISSING"}
        built.check(*VIEWS)
        assert set(kinds(built.run()).values()) == {"none"}

    def test_columns_that_swap_their_names_are_read_again(
        self, built: Warehouse, table: str
    ) -> None:
        swap = [f"alter table {table} rename column {a} to {b}" for a, b in ("vx", "wv", "xw")]
        built.sql(
            f"create or replace table {table} {self.CREATED} as "
            "select 1 as id, 'a' as k, 10 as v, 0 as w union all select 2, 'b', 20, 0"
        )
        built.run()
        built.check(*VIEWS)
        built.sql(f"insert into {table} values (3, 'a', 30, 1)", *swap)
        built.run()
        built.sql(f"insert into {table} values (4, 'a', 40, 1)")
        built.run()
        built.check(*VIEWS)


def _is_followed(warehouse: Warehouse, statement: str) -> None:
    """After the statement, each view is refreshed by the changed rows and equals its query."""
    warehouse.sql(statement)
    assert set(kinds(warehouse.run()).values()) == {"incremental"}
    warehouse.check(*VIEWS)


def _snapshots(warehouse: Warehouse, table: str) -> list[int]:
    rows = warehouse.rows(f"select snapshot_id from {table}.snapshots order by committed_at")
    return [row[0] for row in rows]
