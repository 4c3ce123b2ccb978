"""Queries that call the clock: each run has a time of its own, which the state records.

The tests give the runs their times. A model is compared with its query in which the calls are
written out as that time, so the comparison knows nothing of how the adapter pins the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from dbt.adapters.ivm_spark.source.reader import SourceReader
from tests.budget import budget, only_long
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, reasons

ZONE = "Europe/Berlin"
HEADER = (
    "{{ config(materialized='ivm', refresh_policy='incremental', "
    f"pre_hook='set spark.sql.session.timeZone={ZONE}') }}}}\n"
)
FOLLOWED = {
    "since": "select id, d from @days where d >= {date} - interval 2 days",
    "turned": "select id, n from @days where {date} - 3 <= d and {date} > d",
    "between_days": "select id from @days where d between date_add({date}, -2) and {date}",
    "outside": "select id from @days where not (d < {date}) or d is null",
    "by_instant": "select id, ts from @days where ts > {now} - interval 36 hours",
    "this_month": "select id, n from @days where trunc(d, 'month') = trunc({date}, 'month')",
    "tomorrow": "select id from @days where d < {tomorrow}",
    "grouped": "select s, count(*) as c, sum(n) as n, max(d) as m from @days where d >= {date} - 2"
    " group by s",
    "conditional": "select s, sum(case when d >= {date} - 2 then n else 0 end) as fresh,"
    " count(*) filter (where d < {date}) as past, count(*) as c from @days group by s",
    "flagged": "select id, d < {date} as past, case when d = {date} then 'now' when d > {date}"
    " then 'soon' else s end as state from @days",
    "open_ended": "select s, sum(datediff(coalesce(d, {date}), date'2024-03-01')) as days,"
    " max(least(ts, {now})) as last from @days group by s",
    "joined": "select a.id, b.name from @days a join @names b on a.s = b.s and b.until >= {date}"
    " where a.d <= {date}",
    "optional": "select a.id, b.name from @days a left join @names b on a.s = b.s"
    " and b.until >= {date}",
    "existing": "select id from @days a where exists (select 1 from @names b where a.s = b.s and"
    " b.until < {date})",
    "lonely": "select id from @days a where not exists (select 1 from @names b where a.s = b.s and"
    " b.until >= {date})",
    "distinct_rows": "select distinct s, d from @days where d < {date}",
    "ranked": "select id, row_number() over (partition by s order by d, id) as r from @days"
    " where d < {date}",
    "intervals": "select s, id, d, until, row_number() over (partition by s order by d, id) as r,"
    " lag(until) over (partition by s order by d, id) as before from (select s, id, d,"
    " coalesce(lead(d) over (partition by s order by d, id), {date}) as until from @days)",
    "of_one_key": "select a.s, count(*) as n from (select s, d from @days where d < {date}) a"
    " join @days b on a.s = b.s group by a.s",
    "nested": "select c, count(*) as k from (select s, count(*) as c from @days where d < {date}"
    " group by s) group by c",
    "labelled": "select id, case when ts > {now} - interval 36 hours then 'today' else 'before' end"
    " as age from @days",
    "guarded": "select s, sum(100 div datediff({date}, d)) filter (where d < {date}) as w,"
    " count(*) as n from @days group by s",
    "beside_groups": "select a.id, m.last, b.name from @days a join (select s, max(n) as last from"
    " @days group by s) m on a.s = m.s join @names b on b.s = a.s and b.until < {date}",
    "since_a_parameter": "with p as (select {date} - 2 as since) select id, d from @days where d >="
    " (select since from p)",
    "beside_parameters": "with p as (select {date} - 2 as since, {date} as today) select a.s, p2.n,"
    " sum(case when a.d >= p.since then a.n end) as fresh, count(*) as c from @days a cross join p"
    " left join (select s, count(*) as n from @names, p where until < p.today group by s) p2 on"
    " p2.s = a.s where a.d < p.today group by a.s, p2.n",
    "branches": "select id, 1 as b from @days where d < {date} union all"
    " select id, 2 from @days where d >= {date}",
}
"""Queries that follow the clock by their change."""
REBUILT = {
    "age": "select id, datediff({date}, d) as age from @days",
    "shown": "select id, {date} as run_day from @days",
    "having": "select s, max(d) as m from @days group by s having max(d) >= {date} - 2",
    "ordered": "select id, row_number() over (partition by s order by abs(datediff({date}, d)), id)"
    " as r from @days",
    "full_joined": "select a.id, b.name from @days a full join @names b on a.s = b.s"
    " and b.until >= {date}",
}
"""Queries that are rebuilt when their day is another."""
ALWAYS = {"stamped": "select id, {now} as at, unix_timestamp({now}) as u from @days"}
MODELS = FOLLOWED | REBUILT | ALWAYS
CALLS = {
    "date": "current_date()",
    "now": "current_timestamp()",
    "tomorrow": "cast('tomorrow' as date)",
}
START = datetime(2024, 3, 29, 12, tzinfo=ZoneInfo(ZONE))


def _text(sql: str, schema: str) -> str:
    return sql.format(**CALLS).replace("@", f"{schema}.")


class TestTheClock:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{n}.sql": HEADER + _text(sql, "{{ target.schema }}") for n, sql in MODELS.items()}

    @pytest.fixture(scope="class")
    def clock(self) -> Iterator[list[datetime]]:
        """The time of the runs: the one item of a list."""
        time = [START]
        patch = pytest.MonkeyPatch()
        patch.setattr(SourceReader, "now", lambda _: round(time[0].timestamp() * 1_000_000))
        yield time
        patch.undo()

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse, clock: list[datetime]) -> Warehouse:
        warehouse.sql(
            f"set spark.sql.session.timeZone={ZONE}",
            f"create table days (id int, d date, ts timestamp, s string, n int) using delta {FEED}",
            f"create table names (s string, name string, until date) using delta {FEED}",
            "insert into days select i, date'2024-03-22' + cast(i % 19 as int),"
            " timestamp'2024-03-26 12:00:00' + make_interval(0, 0, 0, 0, 5 * i),"
            " substr('abc', 1 + i % 3, 1), i from (select cast(id as int) as i from range(60))",
            "insert into days values (100, null, null, null, 7), (101, null, null, 'a', null)",
            "insert into names values ('a', 'A', date'2024-03-30'), ('a', 'AA', date'2024-04-01'),"
            " ('b', 'B', date'2024-03-28'), ('c', 'C', null), (null, 'none', date'2024-03-31')",
        )
        warehouse.run()
        return warehouse

    def _check(self, built: Warehouse, time: datetime) -> None:
        local = time.astimezone(ZoneInfo(ZONE))
        values = {
            "date": f"date'{local:%Y-%m-%d}'",
            "now": f"timestamp_micros({round(time.timestamp() * 1_000_000)})",
            "tomorrow": f"date'{local + timedelta(days=1):%Y-%m-%d}'",
        }
        wrong = {}
        for name, sql in MODELS.items():
            wanted = sql.format(**values).replace("@", f"{built.schema}.")
            right, shown = bag(built.rows(wanted)), built.bags(name)
            if right != shown:
                wrong[name] = (right - shown, shown - right)
        assert not wrong

    def _move(self, built: Warehouse, clock: list[datetime], time: datetime) -> dict[str, str]:
        """Run at a time, check every model; the kind of each model's refresh."""
        clock[0] = time
        responses = built.run()
        self._check(built, time)
        found = kinds(responses)
        moved = {name for name, kind in found.items() if kind == "full"}
        assert {reasons(responses)[name] for name in moved} <= {"CLOCK_MOVED"}, reasons(responses)
        return found

    def test_the_first_build_has_the_runs_time(
        self, built: Warehouse, clock: list[datetime]
    ) -> None:
        self._check(built, START)

    def test_a_day_that_has_not_passed_changes_nothing(
        self, built: Warehouse, clock: list[datetime]
    ) -> None:
        found = self._move(built, clock, START + timedelta(hours=2))
        assert {name for name, kind in found.items() if kind != "none"} == {
            "stamped",
            "by_instant",
            "labelled",
            "open_ended",
        }
        assert found["stamped"] == "full"

    def test_changed_rows_are_refreshed_on_the_same_day(
        self, built: Warehouse, clock: list[datetime]
    ) -> None:
        built.sql(
            "update days set n = n + 100, d = d + 1 where id % 7 = 0",
            "delete from days where id = 5",
            "insert into days values (200, date'2024-03-29', timestamp'2024-03-29 11:00:00',"
            " 'b', 1)",
        )
        found = self._move(built, clock, START + timedelta(hours=3))
        assert {name for name, kind in found.items() if kind != "incremental"} <= {"stamped"}

    @pytest.mark.parametrize(
        "time",
        [
            pytest.param(datetime(2024, 3, 30, 9, tzinfo=ZoneInfo(ZONE)), marks=only_long),  # a day
            datetime(2024, 3, 31, 3, 30, tzinfo=ZoneInfo(ZONE)),  # summer time begins
            pytest.param(datetime(2024, 4, 1, 0, 0, 1, tzinfo=ZoneInfo(ZONE)), marks=only_long),
            pytest.param(datetime(2024, 4, 6, 12, tzinfo=ZoneInfo(ZONE)), marks=only_long),  # days
            pytest.param(
                datetime(2024, 3, 30, 23, 59, tzinfo=ZoneInfo(ZONE)), marks=only_long
            ),  # backwards
        ],
        ids=["day", "summer_time", "month", "days", "backwards"],
    )
    def test_rows_enter_and_leave_as_the_time_moves(
        self, built: Warehouse, clock: list[datetime], time: datetime
    ) -> None:
        number = time.day
        built.sql(
            f"update days set s = 'b', d = date'2024-04-0{1 + number % 5}'"
            f" where id % 11 = {number % 11}",
            f"insert into days values ({300 + number}, date'{time:%Y-%m-%d}', null, 'c', 3)",
            f"delete from names where until = date'2024-03-28' and {number} = 6",
        )
        found = self._move(built, clock, time)
        assert {n for n, kind in found.items() if kind == "full"} == {*REBUILT, *ALWAYS}
        assert {found[name] for name in FOLLOWED} == {"incremental"}

    @only_long
    def test_the_time_moves_over_unchanged_sources(
        self, built: Warehouse, clock: list[datetime]
    ) -> None:
        # In CI it moves backwards.
        month, number = budget((3, 29), (4, 2))
        day = datetime(2024, month, number, 12, tzinfo=ZoneInfo(ZONE))
        found = self._move(built, clock, day)
        assert found["since"] == "incremental"
        assert found["age"] == "full"
        again = self._move(built, clock, day.replace(hour=13))
        assert {again[name] for name in (*REBUILT, "since", "grouped")} == {"none"}

    def test_the_comparison_reads_the_recorded_time(
        self, built: Warehouse, clock: list[datetime]
    ) -> None:
        """The models are in the zone that dbt's test has too."""
        header = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
        names = [f"{name}_again" for name in ("since", "conditional", "optional", "age")]
        for name in names:
            text = _text(MODELS[name.removesuffix("_again")], "{{ target.schema }}")
            built.write(name, header + text)
        tests = "".join(f"  - name: {n}\n    data_tests: [equals_its_query]\n" for n in names)
        (built.folder / "models" / "clock.yml").write_text(f"version: 2\nmodels:\n{tests}")
        for time in (START, START + timedelta(days=2)):
            clock[0] = time
            built.run(*names)
        results = built.dbt("test")
        assert {r.status for r in results.values()} == {"pass"}, results
