"""Types that Delta cannot store: intervals are stored as numbers, other types are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, models_of, reasons

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
MAINTAINED = {
    "extracted": "select q, extract(hour from max(fin - beg)) as h,"
    " extract(second from min(fin - beg))"
    " as s from @jobs group by"
    " q",
    "summed": "select q, cast(sum(fin - beg) as string) as total,"
    " count(*) as n from @jobs group by q",
    "averaged": "select q, avg(fin - beg) > interval '20' minute as slow,"
    " cast(avg(fin - beg) as string) as mean from @jobs group by q",
    "filtered": "select q, cast(sum(fin - beg) filter (where fin > beg) as string) as total,"
    " cast(avg(fin - beg) filter (where q is not null) as string) as mean from @jobs group by q",
    "months": "select q, cast(max(span) as string) as m, cast(sum(span) as string) as s,"
    " cast(avg(span) as string) as a from (select q,"
    " make_ym_interval(y, m) as span from @jobs)"
    " group by q",
    "by_duration": "select extract(minute from took) as m, count(*) as n"
    " from (select fin - beg as took"
    " from @jobs) group by"
    " took",
    "by_months": "select cast(make_ym_interval(y, m) as string) as span,"
    " count(*) as n from @jobs"
    " group by make_ym_interval(y, m)",
    "having": "select q, count(*) as n from @jobs group by q having"
    " sum(fin - beg) > interval '1' hour",
    "ordered": "select q, fin from @jobs order by fin - beg, q limit 3",
    "different": "select distinct cast(took as string) as t from (select"
    " fin - beg as took from @jobs)",
    "output": "select q, fin - beg as took from @jobs",
    "output_of_group": "select q, max(fin - beg) as longest, min(make_ym_interval(y, m)) as span"
    " from @jobs group by"
    " q",
    "output_different": "select distinct q, fin - beg as took from @jobs",
    "counted": "select q, count(distinct fin - beg) as n from @jobs group by q",
    "hours_and_days": "select q, cast(max(interval '1' hour * y) as string) as h,"
    " cast(max(cast(fin - beg as interval day)) as string) as d from @jobs group by q",
    "without_groups": "select extract(day from sum(fin - beg)) as d,"
    " count(fin - beg) as n from @jobs",
}
IN_FULL = {
    "collected": "select q, size(collect_list(fin - beg)) as n, max(array(fin - beg))[0] as t"
    " from @jobs group by q",
    "last_interval": "select q, extract(hour from max_by(fin - beg, y)) as h from @jobs group by q",
    "window_of_all": "select q, fin - beg as took, row_number() over (order by beg, q, y) as n"
    " from @jobs",
}
REFUSED = {
    "calendar": ("select q, first(make_interval(y, m)) as i from @jobs group by q", "i"),
    "nested_interval": ("select q, array(fin - beg) as took from @jobs", "took"),
    "collated": (
        "select q collate utf8_lcase as q, row_number() over (order by y) as n from @jobs",
        "q",
    ),
    "nested_void": ("select q, named_struct('a', null) as v from @jobs", "v"),
}
MODELS = MAINTAINED | IN_FULL | {name: sql for name, (sql, _) in REFUSED.items()}
ROW = "('{}', timestamp'2024-01-01 00:00:00', timestamp'{}', {}, {})"
BATCHES = (
    (
        "insert into jobs values "
        + ROW.format("b", "2024-01-02 03:00:00.000001", 3, 0)
        + ", "
        + ROW.format("c", "1900-01-01 00:00:00", -1, -11),
    ),
    ("delete from jobs where q = 'a' and fin = timestamp'2024-01-01 01:00:00'",),
    (
        "update jobs set fin = beg + interval 5 hours, y = null where q = 'a'",
        "delete from jobs where y = 3",
    ),
    ("delete from jobs",),
)


class TestStorage:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(MODELS, HEADER)

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[tuple[dict[str, Any], list[str]]]:
        warehouse.sql(
            f"create table jobs (q string, beg timestamp, fin"
            f" timestamp, y int, m int) using delta {FEED}",
            "insert into jobs values "
            + ROW.format("a", "2024-01-01 01:00:00", 1, 2)
            + ", "
            + ROW.format("a", "2024-01-01 00:30:00.123456", 0, 1)
            + ", (null, null, null, null, null), "
            + ROW.format("b", "2023-12-31 23:00:00", 2, 2),
        )
        names = (*MAINTAINED, *IN_FULL)
        runs = []
        for batch in ((), *budget((BATCHES[0] + BATCHES[1], BATCHES[2], BATCHES[3]), BATCHES)):
            warehouse.sql(*batch)
            responses = warehouse.run(*names)
            runs.append((responses, [d for n in names for d in self.differences(warehouse, n)]))
        return runs

    @staticmethod
    def differences(warehouse: Warehouse, name: str) -> list[str]:
        """Intervals are compared as texts: Python has none of months."""
        columns = warehouse.columns(f"select * from {name}")
        wanted = warehouse.columns(warehouse.queries[name])
        if [kind for _, kind in columns] != [kind for _, kind in wanted]:
            return [f"{name}: {columns} for {wanted}"]
        items = ", ".join(f"cast({column} as string)" for column, _ in columns)
        shown = sorted(map(str, warehouse.rows(f"select {items} from {name}")))
        query = warehouse.queries[name]
        expected = sorted(map(str, warehouse.rows(f"select {items} from ({query})")))
        return [] if shown == expected else [f"{name}: {shown} for {expected}"]

    def test_equal_their_queries(self, runs: Any) -> None:
        for place, (_, differences) in enumerate(runs):
            assert not differences, place

    def test_intervals_are_maintained(self, runs: Any) -> None:
        for responses, _ in runs[1:]:
            found = {n: r["reason"] for n, r in responses.items() if r.get("reason")}
            assert set(found) == set(IN_FULL), found

    @pytest.mark.parametrize("name", REFUSED)
    def test_unstorable_columns_are_refused(
        self, warehouse: Warehouse, runs: Any, name: str
    ) -> None:
        message = warehouse.fail(name)[name]
        assert f"column {REFUSED[name][1]} of type" in message
        assert "Cast it" in message
        assert not warehouse.exists(f"{name}__ivm")


LAYOUT = "{{ config(materialized='ivm', refresh_policy='incremental', %s) }}\n%s"
LAID_OUT = {
    "rebuilt": (
        "partition_by=['day']",
        "select id, day, row_number() over (order by day, id) as n from @calls",
    ),
    "rebuilt_clustered": (
        "liquid_clustered_by='day'",
        "select id, day, row_number() over (order by day, id) as n from @calls",
    ),
    "rebuilt_spelled": (
        "partition_by=['`Day`']",
        "select id, day as Day, rand() < 2 as n from @calls",
    ),
    "nested_blocks": (
        "partition_by=['day']",
        "with c as (select id, day from @calls), final as"
        " (select id, day from c) select * from final",
    ),
    "grouped": ("partition_by='day'", "select day, count(*) as n from @calls group by day"),
    "grouped_below": (
        "partition_by=['day'], liquid_clustered_by=[]",
        "with g as (select day, count(*) as n from @calls group by day) select n, day from g",
    ),
    "distinct_clustered": (
        "liquid_clustered_by=['day', 'id']",
        "select distinct id, day from @calls",
    ),
    "field": ("partition_by={'field': 'day', 'data_type': 'date'}", "select id, day from @calls"),
    "renamed": ("partition_by=['on_day']", "select id, day as on_day from @calls"),
}
ODD = {
    "no_column": (
        "partition_by=['nothing']",
        "select id, day from @calls",
        "partition_by names nothing",
    ),
    "computed": (
        "partition_by=['n']",
        "select day, count(*) + 1 as n from @calls group by day",
        "partition_by names n",
    ),
    "by_month": (
        "partition_by={'field': 'day', 'data_type': 'timestamp', 'granularity': 'month'}",
        "select id, day from @calls",
        "partition_by=['day']",
    ),
}


class TestLayout:
    """partition_by and liquid_clustered_by are in the model's columns, whatever the state's are."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        every = {**LAID_OUT, **{name: odd[:2] for name, odd in ODD.items()}}
        return {
            f"{name}.sql": LAYOUT % (config, sql.replace("@", "{{ target.schema }}."))
            for name, (config, sql) in every.items()
        }

    def test_states_are_laid_out_as_configured(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            f"create table calls (id int, day date) using delta {FEED}",
            "insert into calls values (1, date'2024-01-01'), (2, date'2024-01-02')",
        )
        warehouse.run(*LAID_OUT)
        for name in LAID_OUT:
            detail = warehouse.rows(f"describe detail {name}__ivm")
            assert "day" in str(detail).lower(), name
        warehouse.sql("insert into calls values (4, date'2024-01-02'), (5, null)")
        responses = warehouse.run(*LAID_OUT)
        warehouse.check(*LAID_OUT)
        assert set(reasons(responses)) == {"rebuilt", "rebuilt_clustered", "rebuilt_spelled"}
        assert "CONFIGURATION_CHANGED" not in reasons(responses).values()
        still = {n: k for n, k in kinds(warehouse.run(*LAID_OUT)).items() if k != "none"}
        assert still == {"rebuilt_spelled": "full"}, "its rand() is never known to stand still"

    @pytest.mark.parametrize("name", ODD)
    def test_an_impossible_layout_is_refused(self, warehouse: Warehouse, name: str) -> None:
        assert ODD[name][2] in warehouse.fail(name)[name]

    def test_another_partitioning_rebuilds(self, warehouse: Warehouse) -> None:
        sql = LAID_OUT["nested_blocks"][1].replace("@", "{{ target.schema }}.")
        warehouse.write("nested_blocks", LAYOUT % ("partition_by=['id']", sql))
        assert reasons(warehouse.run("nested_blocks")) == {"nested_blocks": "CONFIGURATION_CHANGED"}
        assert kinds(warehouse.run("nested_blocks")) == {"nested_blocks": "none"}
        warehouse.check("nested_blocks")
