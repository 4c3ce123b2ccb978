"""`frozen_where`: rows of a view that no refresh touches, whatever becomes of its sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan import planner
from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, reasons

OLD = "day < '2024-01-01'"
CONFIG = "materialized='ivm', refresh_policy=var('policy', 'incremental')"
VIEWS = {
    "plain": "select id, day, v * 2 as w from @facts where v > 1",
    "sums": "select day, k, sum(v) as total, count(*) as n, max(v) as most from @facts "
    "group by day, k having count(*) > 0",
    "months": "select trunc(day, 'month') as day, count(*) as n, avg(v) as mean from @facts "
    "group by trunc(day, 'month') order by 1",
    "different": "select distinct day, k from @facts",
    "joined": "select f.day, n.name, f.v from @facts f left join @names n on f.k = n.k",
    "numbered": "select day, k, v, row_number() over (partition by k order by day, id) as place "
    "from @facts",
    "both": "select day, k, v from @facts union all select day, k, -v from @facts where v > 3",
    "added": "select day, count(*) as n, sum(v) as total from @facts group by day",
    "files": "select day, k, v from @plain_files",
}
VIEWS = budget({n: VIEWS[n] for n in ("plain", "sums", "joined", "added", "files")}, VIEWS)
OTHER_CONFIG = {"added": ", state_writes='append', emit_changes=false"}
MAINTAINED = [name for name in VIEWS if name != "files"]
SOURCES = (
    f"create table facts (id int, day date, k string, v int) using delta {FEED}",
    f"create table names (k string, name string) using delta {FEED}",
    "create table plain_files (day date, k string, v int) using parquet",
    "insert into names values ('a', 'one'), ('b', 'two')",
    "insert into facts values (1, date '2023-02-01', 'a', 1), (2, date '2023-02-01', 'a', 5), "
    "(3, date '2023-03-05', 'b', 7), (4, date '2023-03-05', null, 2), (5, null, 'b', 4), "
    "(6, date '2024-01-01', 'a', 6), (7, date '2024-02-02', 'b', 3), "
    "(8, date '2024-02-02', 'c', 9)",
    "insert into plain_files select day, k, v from facts",
)
CHANGES = (
    "insert into facts values (10, date '2023-02-01', 'a', 50), (11, date '2023-12-31', 'z', 8), "
    "(12, date '2024-02-02', 'b', 2), (13, date '2024-05-05', 'a', 4), (14, null, 'a', 6)",
    "update facts set v = v + 1 where id in (3, 7)",
    "update facts set day = date '2024-03-03' where id = 4",
    "update facts set day = date '2023-03-03' where id = 8",
    "update names set name = 'uno' where k = 'a'",
    "insert into plain_files values (date '2023-01-01', 'x', 1), (date '2024-01-01', 'x', 1)",
)
PURGE = (
    "delete from facts where day < '2024-01-01'",
    "insert into facts values (20, date '2024-06-06', 'b', 3)",
)


def model(name: str, query: str, where: str | None = OLD) -> str:
    frozen = "" if where is None else f', frozen_where="{where}"'
    config = f"{{{{ config({CONFIG}{frozen}{OTHER_CONFIG.get(name, '')}) }}}}\n"
    return config + query.replace("@", "{{ target.schema }}.")


def only(responses: dict[str, Any], names: list[str]) -> set[str]:
    """The kinds of the refreshes of these views."""
    return {kinds(responses)[name] for name in names}


def day(warehouse: Warehouse, name: str) -> str:
    """The column of a state that is the view's column `day`."""
    columns = warehouse.columns(f"select * from {name}__ivm")
    return next(column for column, _ in columns if column.startswith("day"))


class Frozen:
    """The frozen rows of the views, as they were first built, and their queries."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self.rows = {name: self.seen(name) for name in VIEWS}

    def seen(self, name: str, where: str = OLD) -> Any:
        return bag(self._warehouse.rows(f"select * from {name} where {where}"))

    def check(self, where: str = OLD, names: Iterable[str] = VIEWS) -> None:
        """Frozen rows are what they were, and all others are those of the query."""
        for name in names:
            assert self.seen(name, where) == self.rows[name], name
            query = self._warehouse.queries[name]
            live = f"select * from (\n{query}\n) where not coalesce({where}, false)"
            shown = f"select * from {name} where not coalesce({where}, false)"
            assert bag(self._warehouse.rows(shown)) == bag(self._warehouse.rows(live)), name


class TestFrozen:
    """One life of the views; each test goes on where the one before it ended."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        tested = {n: {"name": n, "data_tests": ["equals_its_query"]} for n in MAINTAINED}
        listed = "\n".join(f"  - {{name: {n}, data_tests: [equals_its_query]}}" for n in tested)
        files = {f"{name}.sql": model(name, query) for name, query in VIEWS.items()}
        return {**files, "models.yml": f"models:\n{listed}\n"}

    @pytest.fixture(scope="class")
    def frozen(self, warehouse: Warehouse) -> Iterator[Frozen]:
        warehouse.sql(*SOURCES)
        warehouse.run()
        warehouse.check(*MAINTAINED)
        yield Frozen(warehouse)

    def test_changes_of_frozen_rows_are_counted_and_not_applied(
        self, warehouse: Warehouse, frozen: Frozen
    ) -> None:
        warehouse.sql(*CHANGES)
        responses = warehouse.run()
        assert only(responses, MAINTAINED) == {"incremental"}
        frozen.check()
        assert responses["plain"]["frozen"] == {"where": OLD, "changes": 6}
        assert responses["sums"]["frozen"]["changes"] == 5
        assert "5 FROZEN" in responses["sums"]["_message"]
        assert responses["files"]["frozen"] == {"where": OLD, "changes": None}

    def test_rows_that_the_sources_lose_stay(self, warehouse: Warehouse, frozen: Frozen) -> None:
        warehouse.sql(*PURGE)
        assert only(warehouse.run(), MAINTAINED) == {"incremental"}
        frozen.check()
        warehouse.dbt("test")

    def test_a_rebuild_keeps_them(self, warehouse: Warehouse, frozen: Frozen) -> None:
        assert set(kinds(warehouse.run(flags=["--full-refresh"])).values()) == {"full"}
        frozen.check()
        warehouse.sql("insert into facts values (21, date '2023-06-06', 'b', 3)")
        warehouse.run()
        frozen.check()

    def test_the_user_may_change_them(self, warehouse: Warehouse, frozen: Frozen) -> None:
        names = [name for name in MAINTAINED if name != "added"]  # it has no feed to look into
        for name in names:
            warehouse.sql(f"delete from {name}__ivm where {day(warehouse, name)} = '2023-02-01'")
        frozen.rows = {name: frozen.seen(name) for name in VIEWS}
        assert only(warehouse.run(*names), names) == {"none"}
        warehouse.sql("insert into facts values (22, date '2024-07-07', 'b', 3)")
        assert only(warehouse.run(), names) == {"incremental"}
        frozen.check()

    def test_a_change_of_other_rows_is_undone(self, warehouse: Warehouse, frozen: Frozen) -> None:
        for name in MAINTAINED:
            column = day(warehouse, name)
            for month in ("2024-02", "2023-03"):
                warehouse.sql(
                    f"delete from {name}__ivm where trunc({column}, 'month') = '{month}-01'"
                )
        frozen.rows = {name: frozen.seen(name) for name in VIEWS}
        assert set(reasons(warehouse.run(*MAINTAINED)).values()) == {"STATE_MODIFIED"}
        frozen.check()

    def test_a_replaced_source_changes_only_the_others(
        self, warehouse: Warehouse, frozen: Frozen
    ) -> None:
        warehouse.sql(
            "drop table names",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into names values ('b', 'zwei')",
        )
        assert reasons(warehouse.run())["joined"] == "SOURCE_REPLACED"
        frozen.check()

    def test_a_query_that_is_stored_in_another_way_keeps_them(
        self, warehouse: Warehouse, frozen: Frozen
    ) -> None:
        """Files become a Delta table, whose rows are maintained, and files again."""
        for kind in (f"delta {FEED}", "parquet"):
            warehouse.sql(
                "drop table plain_files",
                f"create table plain_files (day date, k string, v int) using {kind}",
                "insert into plain_files values (date '2024-01-01', 'y', 1), (null, 'y', 1), "
                "(date '2023-01-01', 'x', 5)",
            )
            assert kinds(warehouse.run("files")) == {"files": "full"}
            frozen.check(names=["files"])

    def test_more_rows_can_be_frozen(self, warehouse: Warehouse, frozen: Frozen) -> None:
        later = "day < '2024-02-15'"
        frozen.rows = {name: frozen.seen(name, later) for name in VIEWS}
        for name, query in VIEWS.items():
            warehouse.write(name, model(name, query, later))
        assert only(warehouse.run(), MAINTAINED) == {"incremental"}, "it is recorded"
        assert only(warehouse.run(), MAINTAINED) == {"none"}
        warehouse.sql("update facts set v = v + 1 where day >= '2024-01-01'")
        assert only(warehouse.run(), MAINTAINED) == {"incremental"}
        frozen.check(later)

    def test_rows_are_freed_by_a_full_refresh_only(
        self, warehouse: Warehouse, frozen: Frozen
    ) -> None:
        for where in ("day < '2024-02-02'", "day < '2024-06-01' and k = 'a'", None):
            warehouse.write("sums", model("sums", VIEWS["sums"], where))
            (message,) = warehouse.fail("sums").values()
            assert "may free rows that were frozen" in message
            assert "--full-refresh" in message
        warehouse.run("sums", flags=["--full-refresh"])
        warehouse.check("sums")

    def test_an_edit_keeps_them(self, warehouse: Warehouse, frozen: Frozen) -> None:
        where = "day < '2024-02-15'"
        warehouse.write("sums", model("sums", VIEWS["sums"], where))
        warehouse.run("sums")
        edited = VIEWS["sums"].replace("sum(v) as total", "sum(v) / 2 as total")
        warehouse.write("sums", model("sums", edited, where))
        assert kinds(warehouse.run("sums")) == {"sums": "incremental"}
        warehouse.check("sums")
        frozen.rows["sums"] = frozen.seen("sums", where)
        warehouse.write("sums", model("sums", edited.replace("group", "where v > 3 group"), where))
        assert kinds(warehouse.run("sums")) == {"sums": "incremental"}
        frozen.check(where, ["sums"])
        warehouse.sql("insert into facts values (30, date '2024-01-01', 'a', 9)")
        assert kinds(warehouse.run("sums", flags=["--full-refresh"])) == {"sums": "full"}
        frozen.check(where, ["sums"])
        more = edited.replace("max(v) as most", "max(v) as most, min(v) as least")
        warehouse.write("sums", model("sums", more, where))
        (message,) = warehouse.fail("sums").values()
        assert "its frozen rows" in message
        assert "remove frozen_where" in message


BAD = {
    "no_column": ("1 = 1", "names no column"),
    "unknown": ("dag < '2024-01-01'", "names dag"),
    "qualified": ("f.day < '2024-01-01'", "names"),
    "aggregated": ("total > 5", "keys of its GROUP BY"),
    "aggregate": ("max(day) < '2024-01-01'", "a condition on one row"),
    "clock": ("day < current_date() - 90", "time of the run"),
    "today": ("day < 'today'", "time of the run"),
    "random": ("day < '2024-01-01' and rand() < 0.5", "rand()"),
    "subquery": ("day < (select max(day) from x)", "subquery"),
    "no_date": ("day < 'soon'", "Spark does not take"),
    "value": ("day", "must be true or false"),
    "types": ("day + k", "Spark does not take"),
    "cast": ("cast(k as int) < 5", "may only compare columns"),
    "text_and_number": ("k < 5", "may only compare columns"),
    "text": ("day <", "can't be read"),
    "number": (3, "must be a condition"),
}


STORED_OTHERWISE = {
    "swapped": (
        "select day as d, due as e, sum(v) as s from @dues group by 1, 2",
        "d < '2024-01-01'",
    ),
    "coarser": ("select day, k, sum(v) as total from @dues group by day, k", OLD),
    "distinct": ("select day, k from @dues", OLD),
    "appended": ("select day, sum(v) as total, count(*) as n from @dues group by day", OLD),
    "few": ("select day, sum(v) as total from @dues group by day having sum(v) > 2", OLD),
}


class TestStoredOtherwise:
    """A state that means something else than the query needs is not taken for its frozen rows."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        files = {f"{n}.sql": self.text(n, *told) for n, told in STORED_OTHERWISE.items()}
        now = "{{ config(materialized='table') }} select * from {{ ivm_current(ref('few')) }} as f"
        return {**files, "now.sql": now}

    @staticmethod
    def text(name: str, query: str, where: str) -> str:
        more = ", state_writes='append', emit_changes=false" if name == "appended" else ""
        config = f'{{{{ config({CONFIG}, frozen_where="{where}"{more}) }}}}\n'
        return config + query.replace("@", "{{ target.schema }}.")

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        """Frozen rows have missed a change."""
        warehouse.sql(
            f"create table dues (day date, due date, k string, v int) using delta {FEED}",
            "insert into dues values (date '2023-01-01', date '2024-02-01', 'a', 1), "
            "(date '2023-01-01', date '2024-02-01', 'b', 2), "
            "(date '2024-03-01', date '2024-04-01', 'a', 3), "
            "(date '2023-05-05', date '2023-05-05', 'a', 1)",
        )
        warehouse.run(*STORED_OTHERWISE)
        warehouse.sql("insert into dues values (date '2023-01-01', date '2024-02-01', 'a', 100)")
        warehouse.run(*STORED_OTHERWISE)
        return warehouse

    def frozen(self, warehouse: Warehouse, name: str, where: str = OLD) -> Any:
        return bag(warehouse.rows(f"select * from {name} where {where}"))

    def test_a_condition_that_means_another_column_is_refused(self, built: Warehouse) -> None:
        query, where = STORED_OTHERWISE["swapped"]
        kept = self.frozen(built, "swapped", where)
        swapped = query.replace("day as d, due as e", "due as d, day as e")
        built.write("swapped", self.text("", swapped, where))
        assert "may free rows" in built.fail("swapped")["swapped"]
        renamed = query.replace("as d", "as order_day")
        built.write("swapped", self.text("", renamed, where.replace("d <", "order_day <")))
        assert kinds(built.run("swapped")) == {"swapped": "incremental"}
        assert self.frozen(built, "swapped", where.replace("d <", "order_day <")) == kept

    @pytest.mark.parametrize(
        ("name", "old", "new"),
        [("coarser", "day, k", "day"), ("distinct", "select day", "select distinct day")],
    )
    def test_other_groups_are_refused(
        self, built: Warehouse, name: str, old: str, new: str
    ) -> None:
        query, where = STORED_OTHERWISE[name]
        built.sql("insert into dues values (date '2024-03-01', date '2024-04-01', 'b', 3)")
        text = query.replace("@dues", "@dues where day > '1999-01-01'").replace(old, new)
        built.write(name, self.text("", text, where))
        before = built.version(f"{name}__ivm")
        if name == "coarser":
            assert "more than once" in built.fail(name)[name]
            assert built.version(f"{name}__ivm") == before
        else:
            kept = self.frozen(built, name)
            built.run(name)
            assert self.frozen(built, name) == kept

    def test_rows_of_an_appended_state_are_added_up(self, built: Warehouse) -> None:
        query, where = STORED_OTHERWISE["appended"]
        kept = self.frozen(built, "appended")
        built.write("appended", self.text("", query, where))
        assert kinds(built.run("appended")) == {"appended": "full"}
        assert self.frozen(built, "appended") == kept

    def test_hidden_groups_stay_hidden(self, built: Warehouse) -> None:
        kept = self.frozen(built, "few")
        query, where = STORED_OTHERWISE["few"]
        built.write("few", self.text("", query + " and rand() >= 0", where))
        assert kinds(built.run("few")) == {"few": "full"}
        assert self.frozen(built, "few") == kept
        built.write("few", self.text("", query, where))
        built.run("few")
        assert self.frozen(built, "few") == kept

    def test_a_current_view_passes_over_the_users_statements(self, built: Warehouse) -> None:
        built.sql("delete from few__ivm where day = '2023-01-01'")
        assert kinds(built.run("few")) == {"few": "none"}
        built.dbt("run", "--select", "now")
        assert built.bags("now") == built.bags("few")

    def test_a_build_of_no_rows_freezes_none(self, built: Warehouse) -> None:
        built.sql("drop view few", "drop table few__ivm")
        built.run("few", flags=["--empty"])
        built.run("few")
        built.check("few")

    def test_what_is_in_the_states_place_is_not_dropped(self, built: Warehouse) -> None:
        built.sql(
            "create table copy using parquet as select * from few__ivm",
            "drop table few__ivm",
            "alter table copy rename to few__ivm",
        )
        assert "may have its frozen rows" in built.fail("few")["few"]
        assert built.rows("select count(*) from few__ivm")[0][0] > 0


class TestReaders:
    """A rebuild that writes only what differs leaves the readers of frozen rows alone."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        full = CONFIG.replace("var('policy', 'incremental')", "'full'")
        text = model("sums", VIEWS["sums"]).replace(CONFIG, full)
        reader = "{{ config(materialized='ivm') }} select k, sum(n) as n from {{ ref('sums') }} "
        return {"sums.sql": text, "reader.sql": reader + "group by k"}

    def test_the_difference_has_no_frozen_row(
        self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(planner, "is_hopeless", lambda *_: False)
        monkeypatch.setattr(planner, "compares", lambda *_: True)
        warehouse.sql(*SOURCES)
        warehouse.run()
        frozen = bag(warehouse.rows(f"select * from sums where {OLD}"))
        warehouse.sql(*PURGE)
        response = warehouse.run()["sums"]
        assert (response["refresh_kind"], response["rows_differed"]) == ("full", 1)
        assert bag(warehouse.rows(f"select * from sums where {OLD}")) == frozen
        warehouse.check("reader")


class TestBadConditions:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        query = "select day, k, sum(v) as total from {{ target.schema }}.facts group by day, k"
        config = "{{{{ config(materialized='ivm', frozen_where={0}) }}}}\n"
        limited = config.format(repr(OLD)) + "select day from {{ target.schema }}.facts limit 3"
        files = {f"{n}.sql": config.format(repr(text)) + query for n, (text, _) in BAD.items()}
        return {**files, "limited.sql": limited}

    def test_say_what_is_wrong(self, warehouse: Warehouse) -> None:
        warehouse.sql(*SOURCES[:1])
        messages = warehouse.fail(*BAD, "limited")
        for name, (_, says) in {**BAD, "limited": ("", "LIMIT")}.items():
            assert says in messages[name], (name, messages[name])
            assert name in messages[name]
