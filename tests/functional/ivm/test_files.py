"""Sources that are tables of files: rebuilt when their files have changed, and only then."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, models_of, reasons

HEADER = "{{ config(materialized='ivm') }}\n"
TYPED = {
    "joined": "select o.id, r.name, o.v * r.rate as v from @orders o join @regions r on r.k = o.k",
    "outer_sums": "select r.name, sum(o.v) as total, count(o.v) as n from @orders o "
    "full join @regions r on r.k = o.k group by r.name",
    "missing": "select * from @orders o where not exists "
    "(select 1 from @regions r where r.k = o.k)",
    "both": "select k, v from @orders union all select k, cast(rate as int) from @regions",
    "through_a_view": "select o.k, max(r.name) as name from @orders o join @named r using (k) "
    "group by o.k",
    "by_orc": "select o.k, count(distinct c.code) as n from @orders o left join @codes c "
    "on c.k = o.k group by o.k",
}
ONLY = {
    "only_files": "select name, avg(rate) as rate, count(*) as n from @regions group by name",
    "only_text": "select k, count(*) as n from @notes group by k",
}
TEXTS = {
    "noted": "select o.k, n.note from @orders o join @notes n on n.k = o.k",
    "logged": "select o.k, l.level, count(*) as n from @orders o join @logs l on l.k = o.k "
    "group by o.k, l.level",
}
MODELS = {**TYPED, **ONLY, **TEXTS}
READ = {
    "regions": {*TYPED, "only_files"} - {"by_orc"},
    "codes": {"by_orc"},
    "notes": {"only_text", "noted"},
    "logs": {"logged"},
}
"""The models that read each table of files."""


def _folder(warehouse: Warehouse, table: str) -> Path:
    rows = warehouse.rows(f"describe table extended {table}")
    return Path(next(row[1] for row in rows if row[0] == "Location").removeprefix("file:"))


def _copy_a_file(warehouse: Warehouse, table: str) -> None:
    file = next(iter(sorted(_folder(warehouse, table).rglob("part-*"))))
    shutil.copy(file, file.with_name(f"part-copy-{file.name}"))


def _remove_a_file(warehouse: Warehouse, table: str) -> None:
    sorted(_folder(warehouse, table).rglob("part-*"))[0].unlink()


def _move(warehouse: Warehouse, table: str) -> None:
    """Let the table read a copy of its folder without one of its files."""
    other = _folder(warehouse, table).with_name(f"{table}_moved")
    shutil.copytree(_folder(warehouse, table), other)
    sorted(other.rglob("part-*"))[0].unlink()
    warehouse.sql(f"alter table {table} set location '{other}'")


def _statements(*statements: str) -> Callable[[Warehouse, str], None]:
    return lambda warehouse, table: warehouse.sql(
        *(statement.replace("@", table) for statement in statements)
    )


CHANGES: dict[str, tuple[str, Callable[[Warehouse, str], None]]] = {
    "rows_are_added": ("regions", _statements("insert into @ values ('c', 3.0, 'south')")),
    "a_partition_is_overwritten": (
        "regions",
        _statements("insert overwrite @ partition (name = 'south') values ('a', 9.0), (null, 1)"),
    ),
    "a_partition_is_dropped": (
        "regions",
        _statements("alter table @ drop partition (name = 'south')"),
    ),
    "the_same_rows_are_written_again": (
        "codes",
        _statements("create table @_copy as select * from @", "insert overwrite @ table @_copy"),
    ),
    "a_file_is_put_there": ("codes", _copy_a_file),
    "a_file_is_taken_away": ("codes", _remove_a_file),
    "it_is_emptied": ("codes", _statements("truncate table @")),
    "it_is_created_again": (
        "codes",
        _statements(
            "drop table @",
            "create table @ (k string, code string) using orc",
            "insert into @ values ('a', 'z')",
        ),
    ),
    "it_becomes_delta": (
        "codes",
        _statements(
            "drop table @",
            f"create table @ (k string, code string) using delta {FEED}",
            "insert into @ values ('a', 'y'), ('b', 'y')",
        ),
    ),
    "another_place": ("notes", _move),
    "another_option": ("notes", _statements("alter table @ set serdeproperties ('sep' = ';')")),
    "lines_are_added": ("logs", _statements("insert into @ values ('a', 'error')")),
}
ROUNDS = (
    ("rows_are_added", "a_file_is_put_there", "another_place", "lines_are_added"),
    ("a_partition_is_overwritten", "a_file_is_taken_away", "another_option"),
    ("a_partition_is_dropped", "the_same_rows_are_written_again"),
    ("it_is_emptied",),
    ("it_is_created_again",),
    ("it_becomes_delta",),
)
"""Changes that happen between two runs, each of another table."""
TRIED = budget(ROUNDS[:3], ROUNDS)


class TestTablesOfFiles:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(MODELS, HEADER)

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        warehouse.sql(
            "set spark.sql.ansi.enabled=false",
            f"create table orders (id int, k string, v int) using delta {FEED}",
            "insert into orders values (1, 'a', 1), (2, 'a', 2), (3, 'b', 3), (4, null, 4), "
            "(5, 'x', 5)",
            "create table regions (k string, rate double, name string) using parquet "
            "partitioned by (name)",
            "insert into regions values ('a', 2.0, 'north'), ('b', 4.0, 'north'), "
            "('a', 8.0, 'south'), (null, 1.0, 'south')",
            "create view named as select k, upper(name) as name from regions",
            "create table codes (k string, code string) using orc",
            "insert into codes select /*+ repartition(2) */ * from values ('a', 'p'), ('a', 'q'), "
            "('b', 'p') as t(k, code)",
            "create table notes (k string, note string) using csv options (header 'true')",
            "insert into notes select /*+ repartition(2) */ * from values ('a', 'n1'), "
            "('b', 'n2;n3'), ('c', 'n4') as t(k, note)",
            "create table logs (k string, level string) using json",
            "insert into logs values ('a', 'info'), ('b', 'info')",
        )
        assert set(kinds(warehouse.run()).values()) == {"initial"}
        warehouse.check(*MODELS)
        yield warehouse

    def test_nothing_is_done_while_nothing_changes(self, built: Warehouse) -> None:
        assert set(kinds(built.run()).values()) == {"none"}

    def test_changes_of_other_sources_are_followed_by_their_rows(self, built: Warehouse) -> None:
        """Not if the files are of a text format, which has no types of its own."""
        built.sql(
            "insert into orders values (6, 'b', 6), (7, 'c', 7)",
            "update orders set k = 'b' where id = 2",
            "delete from orders where id = 4",
        )
        responses = built.run()
        full, none = dict.fromkeys(TEXTS, "full"), dict.fromkeys(ONLY, "none")
        assert kinds(responses) == dict.fromkeys(TYPED, "incremental") | full | none
        assert reasons(responses) == dict.fromkeys(TEXTS, "INPUT_NOT_IN_DELTA")
        built.check(*MODELS)

    @pytest.mark.parametrize("changes", TRIED, ids=" and ".join)
    def test_changed_files_rebuild_the_models_that_read_them(
        self, built: Warehouse, changes: tuple[str, ...]
    ) -> None:
        for change in changes:
            table, apply = CHANGES[change]
            apply(built, table)
            built.sql(f"refresh table {table}")
        responses = built.run()
        read = set().union(*(READ[CHANGES[change][0]] for change in changes))
        full, none = dict.fromkeys(read, "full"), dict.fromkeys(MODELS.keys() - read, "none")
        assert kinds(responses) == full | none
        text = {"noted", "logged", "only_text"}
        wanted = "SOURCE_REPLACED" if "it_becomes_delta" in changes else "FILES_CHANGED"
        assert reasons(responses) == {
            name: "INPUT_NOT_IN_DELTA" if name in text else wanted for name in read
        }
        built.sql("insert into orders values (10, 'a', 10)")
        following = kinds(built.run())
        assert {following[name] for name in TYPED} == {"incremental"}
        built.check(*MODELS)

    def test_files_that_change_during_a_run_are_noticed_by_the_next_one(
        self, built: Warehouse
    ) -> None:
        built.run()
        built.sql("insert into orders values (11, 'b', 11)")
        built.write(
            "joined",
            "{{ config(materialized='ivm', post_hook=\"insert into {{ target.schema }}.regions "
            "values ('b', 16.0, 'west')\") }}\n"
            + TYPED["joined"].replace("@", "{{ target.schema }}."),
        )
        built.run("joined", "outer_sums")
        built.write("joined", HEADER + TYPED["joined"].replace("@", "{{ target.schema }}."))
        responses = built.run("joined", "outer_sums")
        assert set(reasons(responses).values()) == {"FILES_CHANGED"}
        built.sql("refresh table regions")
        built.check("joined", "outer_sums")

    def test_a_refresh_that_may_not_rebuild_says_why(self, built: Warehouse) -> None:
        built.write(
            "joined",
            "{{ config(materialized='ivm', refresh_policy='incremental_strict') }}\n"
            + TYPED["joined"].replace("@", "{{ target.schema }}."),
        )
        built.sql("insert into regions values ('x', 1.0, 'east')")
        message = built.fail("joined")["joined"]
        assert "FILES_CHANGED" in message
        assert "regions" in message
