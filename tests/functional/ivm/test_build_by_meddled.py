"""Builds in parts and held readers, while others commit, drop or cancel, or Spark rejects."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan import finder
from tests.functional.ivm.faults import (
    Fault,
    Meddled,
    at_commit,
    end_of,
    injected,
    part_of,
    raising,
)
from tests.functional.ivm.test_build_by import interrupted, model
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

BY_DAY = "select day, count(*) as n, sum(v) as total from @facts group by day"
EDITED = "select day, count(*) + 1 as n, min(v) as total from @facts group by day"
FILTERED = "select id, v from @facts where v > 2"
STRICT = ", refresh_policy='incremental_strict'"
KEYED = "select id, day, v from @facts"
REJECTED = "[UNSUPPORTED_FEATURE] no such feature. SQLSTATE: 0A000"
RACED = "[DELTA_CONCURRENT_APPEND] other files. SQLSTATE: 2D521"
NO_FEED = "[DELTA_MISSING_CHANGE_DATA] no change data. SQLSTATE: KD002"
CANCELLED = "[SPARK_JOB_CANCELLED] Job 3 cancelled. SQLSTATE: XXKDA"
EDITS = ("altered", "touched", "at_once")


def plain(query: str, more: str = "") -> str:
    config = f"{{{{ config(materialized='ivm'{more}) }}}}\n"
    return config + query.replace("@", "{{ target.schema }}.")


class TestMeddled:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        built = ("altered", "touched", "rejected", "raced", "gone", "once", "strict")
        bad = (
            "select day, sum(v * element_at(array(1), if(v > 3, 0, 1))) as s from @facts group by 1"
        )
        return {
            **{
                f"{name}.sql": model("day", BY_DAY, more=STRICT if name == "strict" else "")
                for name in built
            },
            "at_once.sql": plain(BY_DAY),
            "kept.sql": model("day", KEYED),
            "wrong.sql": model("day", bad),
            "cancelled.sql": model("day", BY_DAY),
            "followed.sql": "{{ config(materialized='table') }} select 1 as day",
            "own_text.sql": plain(BY_DAY),
            "refused.sql": plain(FILTERED, STRICT),
            "plain.sql": plain(BY_DAY, ", refresh_policy='incremental'"),
            "unread.sql": model("day", "select day, max(v) as most from @facts group by day"),
        }

    @pytest.fixture(scope="class")
    def warehouse(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        values = "id, date_add(date '2024-01-01', cast(id % 4 as int)) as day, cast(id as int) as v"
        warehouse.sql(
            f"create table facts using delta {FEED} as select {values} from range(9)",
            f"create table strict_facts using delta {FEED} as select * from facts",
        )
        strict = BY_DAY.replace("@facts", "@strict_facts")
        warehouse.write("strict", model("day", strict, more=STRICT))
        warehouse.run("followed")
        warehouse.write("followed", model("day", BY_DAY))
        interrupted(warehouse, Fault.DIED, 2, "gone", "strict", "followed")
        return warehouse

    @pytest.fixture(scope="class")
    def seen(self, warehouse: Warehouse) -> dict[str, tuple[Any, Any]]:
        """What readers see before a changed query's rebuild, and between its commit and its view.

        Somebody commits to the state between the plan and the commit.
        """
        warehouse.run(*EDITS, "kept")
        meddled, seen = Meddled(), {}

        def rows(name: str) -> Any:
            return bag(warehouse.rows(f"select * from {name}"))

        def look(name: str, before: Any) -> Callable[[], None]:
            return lambda: seen.update({name: (before, rows(name))})

        for name in EDITS:
            warehouse.write(name, plain(EDITED) if name == "at_once" else model("day", EDITED))
            meddled.after[name] = end_of(name), look(name, rows(name))
        property_of = "alter table {}__ivm set tblproperties ('their.own' = '1')"
        meddled.before["altered"] = (
            part_of("altered", 2),
            lambda: warehouse.sql(property_of.format("altered")),
        )
        meddled.before["at_once"] = (
            lambda _, sql: "ivm_spark.held" in sql,
            lambda: warehouse.sql(property_of.format("at_once")),
        )
        meddled.before["touched"] = (
            part_of("touched", 2),
            lambda: warehouse.sql("update touched__ivm set day = day + interval 100 days"),
        )
        with injected(meddled):
            responses = warehouse.run(*EDITS)
        assert set(kinds(responses).values()) == {"full"}
        assert meddled.before == meddled.after == {}
        warehouse.check(*EDITS)
        return seen

    @pytest.mark.parametrize("name", ["altered", "at_once"])
    def test_readers_are_held_although_the_state_has_another_version(
        self, seen: dict[str, tuple[Any, Any]], name: str
    ) -> None:
        before, between = seen[name]
        assert between == before

    def test_readers_are_held_at_rows_that_were_changed_since(
        self, seen: dict[str, tuple[Any, Any]]
    ) -> None:
        before, between = seen["touched"]
        days = {row[0][1] for row in between}
        assert days == {row[0][1] + timedelta(days=100) for row in before}
        assert {row[1:] for row in between} == {row[1:] for row in before}

    def test_the_error_of_the_first_part_is_told(self, warehouse: Warehouse) -> None:
        assert "INVALID_INDEX_OF_ZERO" in warehouse.fail("wrong")["wrong"]

    def test_a_cancelled_part_is_not_tried_again(self, warehouse: Warehouse) -> None:
        meddled = Meddled()
        meddled.before["cancelled"] = part_of("cancelled", 1), raising(CANCELLED)
        with injected(meddled):
            assert "Job 3 cancelled" in warehouse.fail("cancelled")["cancelled"]
        assert not [sql for sql in meddled.sent["cancelled"] if "create or replace" in sql]

    def test_a_rejected_end_is_built_from_the_users_text(self, warehouse: Warehouse) -> None:
        meddled = Meddled()
        meddled.before["rejected"] = end_of("rejected"), raising(REJECTED)
        with injected(meddled):
            response = warehouse.run("rejected")["rejected"]
        assert response["reason"]["code"] == "GENERATED_SQL_REJECTED"
        assert not warehouse.exists("rejected__ivm_parts")
        warehouse.check("rejected")

    def test_a_race_at_the_end_builds_no_part_again(self, warehouse: Warehouse) -> None:
        meddled = Meddled()
        meddled.before["raced"] = end_of("raced"), raising(RACED)
        started = time.monotonic()
        with injected(meddled):
            response = warehouse.run("raced")["raced"]
        assert response["refresh"]["seconds"] < time.monotonic() - started
        parts = [sql for sql in meddled.sent["raced"] if "insert into" in sql]
        assert len(parts) == 2
        warehouse.check("raced")

    def test_parts_that_another_run_drops_are_built_again(self, warehouse: Warehouse) -> None:
        meddled = Meddled()
        meddled.before["gone"] = (
            lambda number, _: number == 0,
            lambda: warehouse.sql("drop table gone__ivm_parts"),
        )
        with injected(meddled):
            assert warehouse.run("gone")["gone"]["parts"]["built_before"] == 0
        warehouse.check("gone")

    def test_a_part_that_spark_rejects_makes_the_view_be_built_at_once(
        self, warehouse: Warehouse
    ) -> None:
        meddled = Meddled()
        meddled.before["once"] = part_of("once", 2), raising(REJECTED)
        with injected(meddled):
            response = warehouse.run("once")["once"]
        assert (response["refresh_kind"], response.get("parts")) == ("initial", None)
        assert not warehouse.exists("once__ivm_parts")
        warehouse.check("once")

    def test_a_build_can_be_read_although_its_refresh_is_refused(
        self, warehouse: Warehouse
    ) -> None:
        old = bag(warehouse.rows("select day, count(*), sum(v) from strict_facts group by day"))
        warehouse.sql(
            "alter table strict_facts set tblproperties ('delta.enableChangeDataFeed' = 'false')",
            "update strict_facts set v = v + 1",
        )
        assert "incremental_strict" in warehouse.fail("strict")["strict"]
        assert bag(warehouse.rows("select * from strict")) == old
        assert not warehouse.exists("strict__ivm_parts")

    def test_a_column_that_only_a_rebuild_stores_is_taken(self, warehouse: Warehouse) -> None:
        warehouse.write("kept", model("w", f"select *, v * 2 as w from ({KEYED})"))
        response = warehouse.run("kept")["kept"]
        assert response["query_change"]["state"] == "kept"
        warehouse.check("kept")

    def test_a_refresh_after_a_build_that_races_keeps_the_view(self, warehouse: Warehouse) -> None:
        """The view took the place of a table in this run, and stays when the refresh is planned
        again."""
        warehouse.sql("update facts set v = v + 10 where id = 3")
        meddled = Meddled()
        meddled.before["followed"] = (lambda _, sql: "merge into" in sql), raising(RACED)
        with injected(meddled):
            response = warehouse.run("followed")["followed"]
        assert meddled.before == {}
        assert ", then INCREMENTAL" in response["_message"]
        warehouse.check("followed")

    def test_a_rebuild_that_a_refresh_turns_into_goes_part_by_part(
        self, warehouse: Warehouse
    ) -> None:
        warehouse.run("unread")
        warehouse.sql("update facts set v = v + 1 where id in (2, 4)")
        meddled = Meddled()
        meddled.before["unread"] = (lambda _, sql: "cache table" in sql), raising(NO_FEED)
        with injected(meddled):
            response = warehouse.run("unread")["unread"]
        assert meddled.before == {}
        assert (response["refresh_kind"], response["parts"]["parts"]) == ("full", 3)
        warehouse.check("unread")

    def test_a_view_that_was_held_is_set_again(
        self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The rebuild from the user's text has the view that was there before."""
        for _ in range(2):
            meddled = Meddled()
            meddled.before["own_text"] = end_of("own_text"), raising(REJECTED)
            with injected(meddled):
                response = warehouse.run("own_text")["own_text"]
            assert response["reason"]["code"] == "GENERATED_SQL_REJECTED"
            monkeypatch.setattr(finder, "version", "another")
            warehouse.sql("update facts set v = v + 1 where id = 7")
        warehouse.run("own_text")
        warehouse.check("own_text")

    def test_a_statement_that_is_not_sent_leaves_nothing_for_the_next(
        self, warehouse: Warehouse
    ) -> None:
        """A transaction that would have taken its place is not carried out in another's place."""
        warehouse.run("plain")
        warehouse.sql("update facts set v = v + 1 where id = 6")
        before = warehouse.version("plain__ivm")
        meddled = Meddled()
        meddled.before["plain"] = at_commit, raising("the statement was not sent")
        with injected(meddled):
            assert "not sent" in warehouse.fail("plain")["plain"]
        assert warehouse.version("plain__ivm") == before
        warehouse.run("plain")
        warehouse.check("plain")

    def test_a_defect_in_the_comparison_of_queries_costs_a_rebuild(
        self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def defect(*_: object) -> None:
            raise KeyError("partition_by")

        monkeypatch.setattr(finder, "kept", defect)
        warehouse.write("plain", plain(BY_DAY + " having count(*) > 0"))
        response = warehouse.run("plain")["plain"]
        assert response["reason"]["code"] == "QUERY_FINGERPRINT_CHANGED"
        assert "please report it" in response["reason"]["detail"]
        warehouse.check("plain")
        monkeypatch.undo()
        warehouse.sql("update facts set v = v + 1 where id = 5")
        assert warehouse.run("plain")["plain"]["refresh_kind"] == "incremental"

    def test_a_refused_refresh_does_not_leave_the_view_held(self, warehouse: Warehouse) -> None:
        warehouse.run("refused")
        before = bag(warehouse.rows("select * from refused"))
        warehouse.write(
            "refused", plain(FILTERED.replace("v from", "-v as v from") + " - 1", STRICT)
        )
        meddled = Meddled()
        meddled.before["refused"] = at_commit, raising(NO_FEED)
        with injected(meddled):
            assert "incremental_strict" in warehouse.fail("refused")["refused"]
        assert bag(warehouse.rows("select * from refused")) == before
        warehouse.sql("delete from refused__ivm where v = 3")
        assert bag(warehouse.rows("select * from refused")) != before
