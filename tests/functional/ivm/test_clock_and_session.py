"""Queries whose rows depend on the clock or the session, while no source changes.

A view counts as unchanged only if everything in its query is known to be a function of its sources'
rows. The tests move the clock by giving Spark's functions another value: a model's text stays, and
its query returns other rows at the second run.
"""

from __future__ import annotations

import time

import pytest

from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, reasons

HEADER = (
    "{{ config(materialized='ivm', pre_hook='declare or replace variable v int default 3') }}\n"
)
MOVING = {
    # the clock, said and unsaid
    "typed_text": "select id, timestamp 'now' as t from @days",
    "cast_text": "select id, cast('now' as timestamp) as t from @days",
    "compared_timestamp": "select id from @days where ts <= 'now'",
    "compared_date": "select id from @days where d > 'yesterday'",
    "converted": "select id from @days where d >= to_date('today')",
    "between": "select id, d between 'yesterday' and 'today' as recent from @days",
    "argument": "select id, datediff('today', d) as n from @days",
    "argument_of_timestamp": "select id, date_trunc('hour', 'now') as h from @days",
    "spaced": "select id from @days where d <= ' Today '",
    "zoned": "select id from @days where d <= 'today UTC'",
    "computed_text": "select id, cast(concat('to', 'day') as date) as d from @days",
    "folded_text": "select id from @days where d >= lower('TODAY')",
    "text_below": "select id from (select id, d, 'today' as limit_ from @days) where d <= "
    "to_date('to' || 'day')",
    "text_in_group": "select d = to_date('now') as is_now, count(*) as n from @days group by 1",
    "text_in_having": "select d, count(*) as n from @days group by d having d < 'today'",
    "text_in_join": "select a.id from @days a join @days b on a.id = b.id and b.d < 'tomorrow'",
    "text_in_subquery": "select id from @days where d in (select d from @days where d < 'today')",
    "unix": "select id, unix_timestamp() as u from @days",
    "unix_in_window": "select id, row_number() over (order by id) +"
    " unix_timestamp() as u from @days",
    "function": "select id, current_date as d from @days where ts < now()",
    "local": "select id, localtimestamp() as t from @days",
    # the session
    "variable": "select id, id + v as w from @days",
    "qualified_variable": "select id, session.v as w from @days",
    "variable_in_lambda": "select id, transform(array(id), x -> x + v) as w from @days",
    "variable_in_limit": "select id from @days order by id limit v",
    "user_name": "select id, user as u from @days",
    "user_function": "select id, current_user() as u from @days",
    "zone": "select id, current_timezone() as z from @days",
    "catalog_name": "select id, current_catalog() as c, current_schema() as s from @days",
    "random": "select id, uuid() as u from @days",
}
DAILY = {
    "typed_date": "select id, date 'today' as d from @days",
    "cast_sign": "select id, 'tomorrow'::date as d from @days",
    "called": "select id, date_trunc('month', now()) as m from @days where d <= current_date",
}
"""They read the clock, and its value is the same all day."""
STILL = {
    "text_as_text": "select id, s = 'today' as hit, concat(s, 'now') as t from @days",
    "text_chosen": "select id, case when s in ('now', 'tomorrow') then"
    " 'yesterday' end as c from @days",
    "epoch": "select id, d > date 'epoch' as later, timestamp 'epoch' as t from @days",
    "constant_dates": "select id from @days where d >= '2024-01-01' and ts < to_timestamp("
    "'2024-06-01 00:00:00') and d < concat('2025', '-01-01')",
    "unix_of_column": "select id, unix_timestamp(ts) as u from @days",
    "column_like_a_function": "select id, `current_date` as c from (select id, d as `current_date`"
    " from @days)",
    "window_of_all": "select id, row_number() over (order by d, id) as n from @days",
    "lambda_of_column": "select id, transform(array(id), v -> v + id) as w from @days",
}
"""Functions of their sources' rows, although they look like the others."""


class TestClockAndSession:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            f"{name}.sql": HEADER + sql.replace("@", "{{ target.schema }}.")
            for name, sql in (MOVING | DAILY | STILL).items()
        }

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            f"create table days (id int, d date, ts timestamp, s string) using delta {FEED}",
            "insert into days values (1, current_date(), now(), 'today'),"
            " (2, date'2024-01-01', timestamp'2024-01-01 00:00:00', 'now'), (3, null, null, null)",
        )
        warehouse.run()
        return warehouse

    def test_models_that_read_the_clock_are_rebuilt(self, built: Warehouse) -> None:
        responses = built.run(*MOVING)
        found = kinds(responses)
        assert found.pop("function") != "none", "its rows enter by a change"
        assert found == dict.fromkeys(MOVING.keys() - {"function"}, "full")
        assert kinds(built.run(*DAILY)) == dict.fromkeys(DAILY, "none")

    def test_models_without_a_clock_are_left_alone(self, built: Warehouse) -> None:
        responses = built.run(*STILL)
        assert set(kinds(responses).items()) == {(name, "none") for name in STILL}

    def test_a_text_that_is_not_a_time_is_maintained(self, built: Warehouse) -> None:
        built.sql("insert into days values (4, date'2024-05-05', null, 'tomorrow')")
        responses = built.run(*STILL)
        assert set(reasons(responses)) == {"window_of_all"}
        built.check(*STILL)

    def test_a_row_enters_the_view_at_its_time(self, built: Warehouse) -> None:
        models = ("compared_timestamp", "function", "text_as_text")
        built.sql("insert into days values (9, null, now() + interval 5 seconds, 'today')")
        built.run(*models)
        time.sleep(6)
        assert kinds(built.run(*models))["text_as_text"] == "none"
        built.check(*models)
        assert (9,) in built.rows("select * from compared_timestamp")

    def test_a_session_variable_has_the_value_of_the_run(self, built: Warehouse) -> None:
        text = (built.folder / "models" / "variable.sql").read_text()
        built.write("variable", text.replace("default 3", "default 5"))
        built.run("variable")
        assert [row[1] for row in built.rows("select * from variable where id = 1")] == [6]
