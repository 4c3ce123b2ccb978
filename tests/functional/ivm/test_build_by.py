"""`build_by`: a first build or rebuild part by part, resumed where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dbt.tests.util import run_dbt

from tests.budget import budget, only_long
from tests.functional.ivm.faults import Fault, Faults, Meddled, at_text, injected, part_of
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

VIEWS = {
    "plain": ("day", "select id, day, v * 2 as w from @facts where v > 1"),
    "sums": ("Day", "select day, k, sum(v) as total, max(v) as most from @facts group by day, k"),
    "months": (
        "month",
        "select trunc(day, 'month') as month, avg(v) as mean from @facts group by 1 having avg(v) "
        "> 0",
    ),
    "joined": ("day", "select f.day, n.name, f.v from @facts f join @names n on f.k = n.k"),
    "beside": ("id", "select f.id, n.name from @facts f left join @names n on f.k = n.k"),
    "both": ("v", "select day, v from @facts union all select day, -v from @facts where v > 3"),
    "moments": ("at", "select at, count(*) as n from @facts group by at"),
    "plain_moments": ("at", "select cast(at as timestamp_ntz) as at, v from @facts"),
    "ratios": ("ratio", "select distinct ratio, v / 2 as half from @facts"),
    "prices": ("price", "select cast(v as decimal(12, 2)) / 4 as price, k from @facts"),
    "numbered": (
        "day",
        "select day, v, row_number() over (partition by day order by id) as place from @facts",
    ),
    "recent": ("day", "select day, v from @facts where day >= current_date - interval 40000 days"),
    "rare": (
        "day",
        "select day, k from @facts f where exists (select 1 from @names n where n.k = f.k)",
    ),
}
VIEWS = budget({n: VIEWS[n] for n in ("sums", "beside", "moments", "recent")}, VIEWS)
SOURCES = (
    f"create table facts (id int, day date, k string, v int, at timestamp, ratio double) "
    f"using delta {FEED}",
    f"create table names (k string, name string) using delta {FEED}",
    "insert into names values ('a', 'one'), ('b', 'two')",
    "insert into facts select id, day, k, v, cast(day as timestamp), v / 3 from values "
    "(1, date '2023-02-01', 'a', 1), (2, date '2023-02-01', 'a', 5), (3, date '2023-03-05', 'b', "
    "7), (4, date '2023-03-05', null, 2), (5, null, 'b', 4), (6, date '2024-01-01', 'a', 6), "
    "(7, date '2024-02-02', 'b', 3), (8, date '2024-02-02', 'c', 9), (9, date '2024-03-01', 'c', "
    "9) as r(id, day, k, v)",
    "insert into facts values (10, date '2023-05-05', 'a', null, null, double('NaN')), "
    "(11, null, 'b', null, null, -0.0), (12, date '2022-01-01', null, 4, null, 0.0), "
    "(13, date '1500-01-01', 'a', 8, timestamp '1500-01-01 00:00:00', double('-Infinity'))",
)
CHANGES = (
    "update facts set v = v + 1 where id in (3, 7)",
    "delete from facts where id = 5",
    "insert into facts values (20, date '2024-02-02', 'b', 2, timestamp '2024-02-02 10:00:00', 1)",
)


def model(by: str, query: str, parts: int = 3, more: str = "") -> str:
    config = f"materialized='ivm', build_by='{by}', build_parts={parts}{more}"
    return f"{{{{ config({config}) }}}}\n" + query.replace("@", "{{ target.schema }}.")


def at_part(number: int) -> Any:
    """At the statement of the part of this number, from 1."""
    seen: list[str] = []

    def here(_: int, sql: str) -> bool:
        if "__ivm_parts`" in sql and ("create or replace" in sql or "insert into" in sql):
            seen.append(sql)
            return len(seen) == number
        return False

    return here


def interrupted(warehouse: Warehouse, fault: Fault, number: int, *names: str) -> None:
    """A run whose builds end at the part of this number."""
    faults = Faults(fault, {name: at_part(number) for name in names})
    with injected(faults):
        warehouse.dbt("run", "--select", *names, ok=False)
    assert set(faults.hit) == set(names)


def seen(warehouse: Warehouse, names: Iterator[str] | list[str]) -> dict[str, Any]:
    return {name: bag(warehouse.rows(f"select * from {name}")) for name in names}


class TestBuildBy:
    """One life of the views; each test goes on where the one before it ended."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(by, query) for name, (by, query) in VIEWS.items()}

    def test_a_first_build_goes_part_by_part(self, warehouse: Warehouse) -> None:
        warehouse.sql(*SOURCES)
        faults = Faults()
        with injected(faults):
            responses = warehouse.run()
        assert set(kinds(responses).values()) == {"initial"}
        warehouse.check(*VIEWS)
        for name in VIEWS:
            assert responses[name]["parts"]["parts"] in (2, 3), name
            assert responses[name]["parts"]["built_before"] == 0
            statements = [sql for sql in faults.sent[name] if "__ivm_parts`" in sql]
            assert len(statements) == responses[name]["parts"]["parts"] + 2, name
            assert not warehouse.exists(f"{name}__ivm_parts")
        assert "in 3 parts" in responses["sums"]["_message"]

    def test_it_is_refreshed_as_any_other(self, warehouse: Warehouse) -> None:
        warehouse.sql(*CHANGES)
        assert "incremental" in set(kinds(warehouse.run()).values())
        warehouse.check(*VIEWS)

    @pytest.mark.parametrize(
        ("fault", "number"), budget([(Fault.DIED, 2)], [(Fault.DIED, 2), (Fault.FAILED, 3)])
    )
    def test_a_rebuild_goes_on_where_it_stopped(
        self, warehouse: Warehouse, fault: Fault, number: int
    ) -> None:
        names = [n for n in VIEWS if n not in ("months", "ratios")]
        before = seen(warehouse, names)
        faults = Faults(fault, {name: at_part(number) for name in names})
        with injected(faults):
            warehouse.dbt("run", "--full-refresh", "--select", *names, ok=False)
        assert seen(warehouse, names) == before  # readers see the old rows
        # the sources move on: the build is of their former versions, and is refreshed
        warehouse.sql("update facts set v = v + 100 where id in (1, 6, 9)")
        responses = warehouse.run(*names, flags=["--full-refresh"])
        warehouse.check(*names)
        for name in faults.hit:
            assert kinds(responses)[name] == "full", name
            built = number if fault is Fault.DIED else number - 1
            assert responses[name]["parts"]["built_before"] == built, name
            assert ", then INCREMENTAL" in responses[name]["_message"], name
            assert not warehouse.exists(f"{name}__ivm_parts")
        assert len(faults.hit) >= len(names) - 1
        assert set(kinds(warehouse.run(*names)).values()) == {"none"}


NAMES = (
    *("edited", "replaced", "purged", "touched", "failing", "withdrawn", "raced", "again"),
    *("ended", "dropped"),
)
BROKEN = ("edited", "purged", "recut", "again", "nofeed")
BROKEN = budget(BROKEN, (*BROKEN, "touched", "replaced", "late", "withdrawn", "always"))
RECUT = "select id, v, day from @facts where day is not null and v is not null"


class TestInterrupted:
    """A build that can't go on with its parts starts anew, and no row is lost or doubled."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        by_day = "select day, count(*) as n, sum(v) as total from @facts group by day"
        return {
            **{f"{name}.sql": model("day", by_day) for name in NAMES},
            "recut.sql": model("v", RECUT),
            "always.sql": model("day", by_day, more=", refresh_policy='full'"),
            "nofeed.sql": model("day", by_day.replace("@facts", "@nofeed_facts")),
            "late.sql": model("day", "select day, current_timestamp() as at, v from @facts"),
            "reader.sql": "{{ config(materialized='ivm') }}\n"
            "select day, n from {{ ref('edited') }} where n > 0",
        }

    @pytest.fixture(scope="class")
    def broken(self, warehouse: Warehouse) -> Iterator[None]:
        warehouse.sql(*SOURCES)
        warehouse.sql(
            "create table nofeed_facts using delta tblproperties ('delta.enableChangeDataFeed' = "
            "'false') as select * from facts"
        )
        for name in ("replaced", "purged", "failing", "again", "always"):
            warehouse.sql(f"create table {name}_facts using delta {FEED} as select * from facts")
            text = "select day, count(*) as n, sum(v) as total from @facts group by day"
            text = text.replace("@facts", f"@{name}_facts")
            if name == "failing":
                bad = "v * element_at(array(1), if(k = 'x', 0, 1))"
                text = text.replace("sum(v)", f"sum({bad})")
            more = ", refresh_policy='full'" if name == "always" else ""
            warehouse.write(name, model("day", text, more=more))
        warehouse.sql("update failing_facts set k = 'x' where day > '2024-02-15'")
        interrupted(warehouse, Fault.DIED, 2, *BROKEN)
        yield

    def test_is_explained(
        self, warehouse: Warehouse, broken: None, capsys: pytest.CaptureFixture[str]
    ) -> None:
        capsys.readouterr()
        run_dbt(["--quiet", "run-operation", "ivm_explain", "--args", "{model: edited}"])
        told = capsys.readouterr().out
        assert "built by ranges of day" in told
        assert "unfinished build: 2 of 3 parts" in told

    @pytest.fixture(scope="class")
    def anew(self, warehouse: Warehouse, broken: None) -> dict[str, dict[str, Any]]:
        """The run after all that keeps a build from going on."""
        warehouse.write("edited", model("day", "select day, count(v) as n from @facts group by 1"))
        warehouse.write("recut", model("id", RECUT))
        warehouse.write(
            "withdrawn",
            "{{ config(materialized='ivm') }}\n"
            "select day, count(*) as n from {{ target.schema }}.facts group by day",
        )
        warehouse.sql(
            f"create or replace table replaced_facts using delta {FEED} as "
            "select * from facts where v > 2",
            *budget(
                (), ("insert into touched__ivm_parts select * from touched__ivm_parts limit 1",)
            ),
            "drop table again_facts",
            f"create table again_facts using delta {FEED} as select * from facts where v > 2",
            "update nofeed_facts set v = v + 1 where id < 9",
            "update always_facts set v = v + 1 where id < 9",
            "delete from purged_facts where day < '2024-01-01'",
            "set spark.databricks.delta.retentionDurationCheck.enabled = false",
            "vacuum purged_facts retain 0 hours",
        )
        responses = warehouse.run(*BROKEN, "reader")
        assert {r["refresh_kind"] for n, r in responses.items()} <= {"initial", "full"}
        assert not [name for name in BROKEN if warehouse.exists(f"{name}__ivm_parts")]
        warehouse.check(*(name for name in (*BROKEN, "reader") if name != "late"))
        return responses

    @pytest.mark.parametrize("name", ["edited", "purged", "recut", "again"])
    def test_with_other_rows(self, anew: dict[str, dict[str, Any]], name: str) -> None:
        """Another query, a source that was replaced, recreated with the same version or purged,
        rows of others among the parts, another column."""
        assert anew[name]["parts"]["built_before"] == 0

    def test_whose_refresh_is_another_rebuild(self, anew: dict[str, dict[str, Any]]) -> None:
        assert anew["nofeed"]["refresh_kind"] == "full"

    @only_long
    def test_in_other_ways(self, anew: dict[str, dict[str, Any]], warehouse: Warehouse) -> None:
        assert len({at for _, at, _ in warehouse.rows("select * from late")}) == 1
        assert anew["late"]["parts"]["built_before"] == 0
        assert anew["touched"]["parts"]["built_before"] == 0
        assert anew["replaced"]["parts"]["built_before"] == 0
        assert anew["always"]["refresh_kind"] == "full"
        assert anew["withdrawn"].get("parts") is None

    def test_while_others_write_its_parts(self, warehouse: Warehouse, broken: None) -> None:
        meddled = Meddled()
        doubled = "insert into raced__ivm_parts select * from raced__ivm_parts"
        meddled.after["raced"] = part_of("raced", 2), lambda: warehouse.sql(doubled)
        with injected(meddled) as faults:
            responses = warehouse.run("raced")
        assert responses["raced"]["parts"]["parts"] == 3
        created = [sql for sql in faults.sent["raced"] if "raced__ivm_parts`\nusing" in sql]
        assert len(created) == 2  # the second build began anew
        warehouse.check("raced")

    @only_long
    def test_that_is_complete_but_for_its_end(self, warehouse: Warehouse, broken: None) -> None:
        warehouse.run("ended", flags=["--full-refresh"])
        faults = Faults(Fault.DIED, {"ended": lambda _, sql: "_parts` version as of" in sql})
        with injected(faults):
            warehouse.dbt("run", "--full-refresh", "--select", "ended", ok=False)
        assert faults.hit
        warehouse.sql("update facts set v = v + 1 where id = 8")
        assert kinds(warehouse.run("ended")) == {"ended": "incremental"}
        assert warehouse.exists("ended__ivm_parts")
        responses = warehouse.run("ended", flags=["--full-refresh"])
        assert responses["ended"]["parts"]["built_before"] == 0
        warehouse.check("ended")
        assert not warehouse.exists("ended__ivm_parts")

    @only_long
    def test_whose_parts_somebody_drops(self, warehouse: Warehouse, broken: None) -> None:
        meddled = Meddled()
        drop = "drop table dropped__ivm_parts"
        meddled.before["dropped"] = at_text("_parts` version as of"), lambda: warehouse.sql(drop)
        with injected(meddled):
            responses = warehouse.run("dropped")
        assert not meddled.before
        assert responses["dropped"]["parts"]["parts"] == 3
        warehouse.check("dropped")
        warehouse.sql("update facts set v = v + 1 where id = 7")
        assert kinds(warehouse.run("dropped")) == {"dropped": "incremental"}

    def test_at_a_row_that_is_mended(self, warehouse: Warehouse, broken: None) -> None:
        assert "INVALID_INDEX_OF_ZERO" in warehouse.fail("failing")["failing"]
        assert warehouse.exists("failing__ivm_parts")
        warehouse.sql("update failing_facts set k = '7' where k = 'x'")
        assert warehouse.run("failing")["failing"]["refresh_kind"] == "initial"
        warehouse.check("failing")


BAD = {
    "lacking": ("nothing", "select day, v from @facts", "no column of the view"),
    "text": ("k", "select k, v from @facts", "numbers, dates or timestamps"),
    "computed": (
        "total",
        "select day, sum(v) as total from @facts group by day",
        "a column by which the view's rows are stored",
    ),
}
WHOLE = {
    "windowed": (
        "day",
        "select day, v, sum(v) over (partition by k order by id) as s from @facts",
    ),
    "optional": ("at", "select n.k, f.at from @names n left join @facts f on f.k = n.k"),
    "unread": ("id", "select id, uuid() as u from @facts"),
}


class TestBadBuildBy:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        bad = {f"{name}.sql": model(by, query) for name, (by, query, _) in BAD.items()}
        whole = {f"{name}.sql": model(by, query) for name, (by, query) in WHOLE.items()}
        small = model("day", "select day, v from @facts", parts=0)
        empty = model("day", "select day, v from @facts where v > 1000")
        none = model("day", "select cast(null as date) as day, v from @facts")
        taken = model("day", "select day, v from @facts")
        return {
            **bad,
            **whole,
            "taken.sql": taken,
            "small.sql": small,
            "empty.sql": empty,
            "none.sql": none,
        }

    def test_a_table_in_the_place_of_its_parts_stays(self, warehouse: Warehouse) -> None:
        warehouse.sql(*SOURCES, "create table taken__ivm_parts using delta as select 1 as mine")
        assert "is in the place of" in warehouse.fail("taken")["taken"]
        warehouse.write(
            "taken",
            "{{ config(materialized='ivm') }}\nselect 1 as n from {{ target.schema }}.facts",
        )
        warehouse.run("taken")
        assert warehouse.rows("select * from taken__ivm_parts") == [(1,)]

    def test_a_column_that_does_not_fit_is_an_error(self, warehouse: Warehouse) -> None:
        messages = warehouse.fail(*BAD)
        for name, (_, _, message) in BAD.items():
            assert message in messages[name], name

    def test_other_views_are_built_at_once(self, warehouse: Warehouse) -> None:
        names = [*WHOLE, "small", "empty", "none"]
        responses = warehouse.run(*names)
        assert {responses[name].get("parts") is None for name in (*WHOLE, "small")} == {True}
        warehouse.check(*(name for name in names if name != "unread"))
