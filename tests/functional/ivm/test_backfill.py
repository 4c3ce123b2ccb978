"""`backfill_from`: the first build takes its frozen rows from a table that still has them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.functional.ivm.test_frozen import OLD, only
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

CONFIG = "materialized='ivm', refresh_policy='incremental'"
VIEWS = {
    "plain": "select id, day, v * 2 as w from @facts where v > 1",
    "sums": "select day, k, sum(v) as total, max(v) as most, count(v) as vs, count(*) as n "
    "from @facts group by day, k",
    "whole_days": "select day as d, sum(v) / 2 as half, sum(v) as total from @facts group by day",
    "different": "select distinct day, k from @facts",
    "files": "select day, k, v from @plain_files",
}
OWN = "select day, k, count(*) as n from @facts group by 1, 2"
SOURCES = (
    f"create table facts (id int, day date, k string, v int) using delta {FEED}",
    "create table plain_files (day date, k string, v int) using parquet",
    "insert into facts values (1, date '2023-02-01', 'a', 1), (2, date '2023-02-01', 'a', 5), "
    "(3, date '2023-03-05', 'b', null), (4, date '2023-03-05', null, 2), (5, null, 'b', 4), "
    "(6, date '2024-01-01', 'a', 6), (7, date '2024-02-02', 'b', 3)",
    "insert into plain_files select day, k, v from facts",
)
CHANGES = (
    "insert into facts values (8, date '2024-02-02', 'b', 8), (9, date '2023-02-01', 'a', 9)",
    "delete from facts where id = 6",
    "insert into plain_files values (date '2024-06-06', 'c', 1)",
)


def model(query: str, backfill: str | None, where: str = OLD) -> str:
    more = "" if backfill is None else f", frozen_where=\"{where}\", backfill_from='{backfill}'"
    config = f"{{{{ config({CONFIG}{more}) }}}}\n"
    return config + query.replace("@", "{{ target.schema }}.")


def old(name: str) -> str:
    return OLD.replace("day", "d") if name == "whole_days" else OLD


class TestBackfill:
    """One life of the views; each test goes on where the one before it ended."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        own = "{{ config(materialized='table') }} " + OWN
        return {
            "own.sql": own.replace("@", "{{ target.schema }}."),
            **{
                f"{name}.sql": model(
                    query, f"{{{{ target.schema }}}}.old_{name}", old(name)
                ).replace("'{{ target.schema }}.old", "target.schema ~ '.old")
                for name, query in VIEWS.items()
            },
        }

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        warehouse.sql(*SOURCES)
        warehouse.run("own")
        for name, query in VIEWS.items():
            warehouse.sql(f"create table old_{name} using parquet as {query.replace('@', '')}")
        warehouse.sql("delete from facts where day < '2024-01-01'")
        warehouse.run(*VIEWS)
        yield warehouse

    def check(self, warehouse: Warehouse, *names: str) -> None:
        for name in names:
            where = old(name)
            kept = warehouse.rows(f"select * from {name} where {where}")
            assert bag(kept) == bag(warehouse.rows(f"select * from old_{name} where {where}"))
            assert kept, name
            live = f"select * from ({warehouse.queries[name]}) where not coalesce({where}, false)"
            shown = f"select * from {name} where not coalesce({where}, false)"
            assert bag(warehouse.rows(shown)) == bag(warehouse.rows(live)), name

    def test_frozen_rows_are_those_of_the_table(self, built: Warehouse) -> None:
        self.check(built, *VIEWS)

    def test_later_refreshes_keep_them(self, built: Warehouse) -> None:
        built.sql(*CHANGES)
        names = [name for name in VIEWS if name != "files"]
        assert only(built.run(*VIEWS), names) == {"incremental"}
        self.check(built, *VIEWS)
        built.sql(*(f"insert into old_{name} select * from old_{name}" for name in ("plain",)))
        assert set(kinds(built.run(*VIEWS, flags=["--full-refresh"])).values()) == {"full"}
        self.check(built, *(name for name in VIEWS if name != "plain"))
        count = f"select count(*) from old_plain where {OLD}"
        doubled = f"select 2 * count(*) from plain where {OLD}"
        assert built.rows(count) == built.rows(doubled), "only a first build reads the table"

    def test_a_table_model_becomes_a_view_with_its_own_rows(self, built: Warehouse) -> None:
        before = bag(built.rows(f"select * from own where {OLD}"))
        assert before
        built.write("own", model(OWN, "this"))
        results = built.dbt("run", "--select", "own")
        assert results["own"].adapter_response["refresh_kind"] == "initial"
        built.sql("insert into facts values (20, date '2024-07-07', 'q', 1)")
        assert kinds(built.run("own")) == {"own": "incremental"}
        assert bag(built.rows(f"select * from own where {OLD}")) == before
        assert built.rows("select n from own where k = 'q'") == [(1,)]


BAD = {
    "missing": ("no_schema.old", "select day, k from @facts", "can't be read"),
    "bare": ("old", "select day, k from @facts", "a table with its schema"),
    "narrow": ("s.old_pairs", "select day, k, v from @facts", "lacks columns of the view: v (int)"),
    "typed": ("s.old_pairs", "select day, 1 as k from @facts", "lacks columns of the view: k"),
    "means": (
        "s.old_means",
        "select day, avg(v) as mean from @facts group by day",
        "stores more than",
    ),
    "twice": (
        "s.old_twice",
        "select day, sum(v) as total from @facts group by day",
        "1 groups more than once",
    ),
    "halves": (
        "s.old_halves",
        "select day, sum(v) as total, sum(v) / 2 as half from @facts group by day",
        "other values for 1 of its rows",
    ),
}


class TestBadTables:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            f"{name}.sql": model(query, table).replace("'s.old", "target.schema ~ '.old")
            if table.startswith("s.")
            else model(query, table)
            for name, (table, query, _) in BAD.items()
        }

    def test_say_what_is_wrong(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            SOURCES[0],
            "create table old_pairs (day date, k string) using parquet",
            "create table old_means (day date, mean double) using parquet",
            "create table old_twice (day date, total bigint) using parquet",
            "insert into old_twice values (date '2023-01-01', 1), (date '2023-01-01', 2)",
            "create table old_halves (day date, total bigint, half double) using parquet",
            "insert into old_halves values (date '2023-01-01', 2, 1), (date '2023-01-02', 4, 3)",
        )
        messages = warehouse.fail(*BAD)
        for name, (_, _, says) in BAD.items():
            assert says in messages[name], (name, messages[name])
            assert not warehouse.exists(f"{name}__ivm")
