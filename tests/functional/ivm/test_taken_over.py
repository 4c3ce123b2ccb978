"""`backfill_from` without frozen rows: a table that equals the query becomes the first state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.functional.ivm.faults import Faults, Meddled, end_of, injected
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

VIEWS = {
    "joined": "select f.id, n.name, f.v * 2 as w from @facts f join @names n on n.k = f.k",
    "doubled": "select k, v from @facts union all select k, v from @facts",
    "sums": "select day, k, sum(v) as total, max(v) as most, count(v) as vs, count(*) as n "
    "from @facts group by day, k",
    "means": "select day, avg(v) as mean, sum(v) as total, count(v) as vs, count(*) + 0 as n1, "
    "count(*) as n from @facts group by day",
    "ranked": "select id, k, row_number() over (partition by k order by id) as place from @facts",
    "spelled": "select id, c, cast(v as string) as t from @facts",
    "added": "select k, count(*) as n, sum(v) as total, count(v) as vs from @facts group by k",
}
CHECKS = {"doubled": "sample", "means": "none"}
MORE = {"added": ", state_writes='append'"}
OWN = "select k, count(*) as n from @facts group by k"
SOURCES = (
    f"create table facts (id int, day date, k string, v int, c varchar(3)) using delta {FEED}",
    f"create table names (k string, name string) using delta {FEED}",
    "insert into names values ('a', 'one'), ('b', 'two')",
    "insert into facts select *, 'x' from values (1, date '2023-02-01', 'a', 1), "
    "(2, date '2023-02-01', 'a', 5), (3, date '2023-03-05', 'b', null), "
    "(4, date '2023-03-05', null, 2), (5, null, 'b', 4), (6, date '2024-01-01', 'a', 6), "
    "(7, date '2024-02-02', 'b', 3)",
)
CHANGES = (
    "insert into facts select *, 'x' from values (8, date '2024-02-02', 'b', 8), "
    "(9, date '2023-02-01', 'a', 9)",
    "update facts set v = null where id = 2",
    "delete from facts where id in (3, 6)",
    "update names set name = 'zwei' where k = 'b'",
)


def model(query: str, table: str, check: str | None = None, more: str = "") -> str:
    named = "'this'" if table == "this" else f"target.schema ~ '.{table}'"
    check = "" if check is None else f", backfill_check='{check}'"
    config = f"materialized='ivm', backfill_from={named}{check}{more}"
    return f"{{{{ config({config}) }}}}\n" + query.replace("@", "{{ target.schema }}.")


class TestTakenOver:
    """One life of the views; each test goes on where the one before it ended."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        views = {
            f"{n}.sql": model(q, f"old_{n}", CHECKS.get(n), MORE.get(n, ""))
            for n, q in VIEWS.items()
        }
        table = "{{ config(materialized='table') }} " + OWN.replace("@", "{{ target.schema }}.")
        return {**views, "own.sql": table}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[tuple[Warehouse, Any, Faults]]:
        warehouse.sql(*SOURCES)
        for place, (name, query) in enumerate(VIEWS.items()):
            kind = ("delta", "parquet")[place % 2]
            text = query.replace("@", "")
            warehouse.sql(f"create table old_{name} using {kind} as select * from ({text})")
        warehouse.run("own")
        warehouse.write("own", model(OWN, "this"))
        with injected(Faults()) as faults:
            responses = warehouse.run()
        yield warehouse, responses, faults

    def test_the_state_has_the_rows_of_the_table(
        self, built: tuple[Warehouse, Any, Faults]
    ) -> None:
        warehouse, responses, faults = built
        for name, response in responses.items():
            assert response["refresh_kind"] == "initial"
            assert " taken over from " in response["_message"], name
            (build,) = [s for s in faults.sent[name] if "create or replace table" in s]
            assert "facts" not in build
        warehouse.check(*VIEWS, "own")

    def test_refreshes_change_them_as_any_others(
        self, built: tuple[Warehouse, Any, Faults]
    ) -> None:
        warehouse, *_ = built
        warehouse.sql(*CHANGES)
        assert set(kinds(warehouse.run()).values()) == {"incremental"}
        warehouse.check(*VIEWS, "own")

    def test_a_rebuild_does_not_read_the_table(self, built: tuple[Warehouse, Any, Faults]) -> None:
        warehouse, *_ = built
        warehouse.sql(*(f"drop table old_{name}" for name in VIEWS))
        assert set(kinds(warehouse.run(flags=["--full-refresh"])).values()) == {"full"}
        warehouse.check(*VIEWS, "own")

    def test_a_state_that_was_dropped_is_built_from_the_query(
        self, built: tuple[Warehouse, Any, Faults]
    ) -> None:
        warehouse, *_ = built
        warehouse.sql("create table old_ranked using delta as select 1 as id, 'k' as k, 1 as place")
        warehouse.sql("drop table ranked__ivm")
        assert "taken over" not in warehouse.run("ranked")["ranked"]["_message"]
        warehouse.check("ranked")


GROUPS = "select k, count(*) as n from @facts group by k"
MANY = (
    "select id * 80 + w as k, count(*) as n from @facts "
    "lateral view explode(sequence(1, 80)) g as w group by id * 80 + w"
)
NOT_SAMPLED = "insert into @ select * from @ where pmod(xxhash64(k), 100) = 1 limit 1"
ROWS = "select id, k, v from @facts"
OTHER = {
    "surplus": (ROWS, "all", "insert into @ values (99, 'z', 1)", "and has 1 others"),
    "lacking": (ROWS, "all", "delete from @ where id in (1, 2)", "lacks 2 rows of the query"),
    "twice": (ROWS, "all", "insert into @ select * from @ where id = 1", "and has 1 others"),
    "sampled": (ROWS, "sample", "delete from @", "in one row of a hundred"),
    "emptied": ("select id, v from @facts where id < 40", "sample", "delete from @", "lacks 40"),
    "groups": (GROUPS, "all", "insert into @ select * from @ limit 1", "has 1 others"),
    "sampled_groups": (MANY, "sample", NOT_SAMPLED, "more than once"),
    "looked_at": (ROWS, "all", "", "which is a view"),
    "random": ("select id, uuid() as u from @facts", "all", "", "is not maintained"),
}
BAD = {
    "distinct_rows": ("select distinct k from @facts", "all", "__ivm_count"),
    "nulls": ("select k, sum(v) as t, count(*) as n from @facts group by k", "none", "count(*)"),
    "hidden": (
        "select k, count(*) as n from @facts group by k having count(*) > 1",
        "all",
        "HAVING",
    ),
    "top": ("select id, v from @facts order by id limit 3", "none", "LIMIT"),
    "structs": (
        "select id, struct(cast(v as double)) as s from @facts",
        "all",
        "backfill_check: none",
    ),
}


class TestOtherTables:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        everything = {n: (q, c) for n, (q, c, *_) in OTHER.items()}
        everything |= {n: (q, c) for n, (q, c, _) in BAD.items()}
        views = {f"{n}.sql": model(q, f"old_{n}", c) for n, (q, c) in everything.items()}
        return {
            **views,
            "wrong.sql": model(ROWS, "old_wrong", "none"),
            "fresh.sql": model(ROWS, "this"),
            "one_row.sql": model("select count(*) as n from @facts", "old_one_row"),
            "gone.sql": model(ROWS, "old_gone", "none"),
            "narrow.sql": model("select id, k, v, day from @facts", "old_surplus"),
        }

    @pytest.fixture(scope="class")
    def warehouse(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            SOURCES[0],
            "insert into facts select id, date '2024-01-01', concat('k', id % 3), id, 'x' from "
            "range(500) as r(id)",
        )
        queries = {n: q for n, (q, *_) in (OTHER | BAD).items()} | {"wrong": ROWS}
        for name, query in queries.items():
            kind = "view" if name == "looked_at" else "table"
            using = "" if kind == "view" else "using delta"
            text = query.replace("@", "")
            warehouse.sql(f"create {kind} old_{name} {using} as {text}")
        for name, (_, _, change, _) in OTHER.items():
            if change:
                warehouse.sql(change.replace("@", f"old_{name}"))
        warehouse.sql(
            "insert into old_wrong values (77, 'wrong', 1)",
            "create table old_one_row using delta as select bigint(7) as n",
            f"create table old_gone using parquet as {ROWS.replace('@', '')}",
        )
        return warehouse

    def test_a_table_with_other_rows_is_not_taken(
        self, warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
    ) -> None:
        responses = warehouse.run(*OTHER, "fresh", "one_row")
        said = " ".join(capsys.readouterr().out.split())
        for name, (_, _, _, warning) in OTHER.items():
            assert "taken over" not in responses[name]["_message"], name
            assert warning in said, name
        warehouse.check(*(name for name in OTHER if name != "random"), "fresh", "one_row")

    def test_rows_are_trusted_where_nothing_is_compared(
        self, warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
    ) -> None:
        response = warehouse.run("wrong")["wrong"]
        assert "none of them was compared" in " ".join(capsys.readouterr().out.split())
        assert "taken over" in response["_message"]
        assert warehouse.rows("select v from wrong where k = 'wrong'") == [(1,)]
        assert bag(warehouse.rows("select * from wrong where k <> 'wrong'")) == bag(
            warehouse.rows(warehouse.queries["wrong"])
        )

    def test_a_table_that_somebody_drops_leaves_the_query(self, warehouse: Warehouse) -> None:
        meddled = Meddled()
        meddled.before["gone"] = end_of("gone"), lambda: warehouse.sql("drop table old_gone")
        with injected(meddled):
            response = warehouse.run("gone")["gone"]
        assert (response["refresh_kind"], response.get("reason")) == ("initial", None)
        warehouse.check("gone")

    def test_a_table_that_does_not_tell_the_state_is_an_error(self, warehouse: Warehouse) -> None:
        messages = warehouse.fail(*BAD, "narrow")
        for name, (_, _, says) in BAD.items():
            assert says in messages[name], (name, messages[name])
            assert not warehouse.exists(f"{name}__ivm")
        assert "lacks columns of the view: day" in messages["narrow"]
