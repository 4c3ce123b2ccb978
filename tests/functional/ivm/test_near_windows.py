"""Windows that look at few rows or at no later one, by keys of every type that has a RANGE, on
Spark itself."""

from __future__ import annotations

import random

import pytest

from dbt.adapters.ivm_spark.delta import window
from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds

OVER = "partition by g order by"
CALLS = {
    "lags": f"lag(v) over ({OVER} d, id) as a, lead(s, 2, 'none') over ({OVER} d, id) as b",
    "rows": f"sum(v) over ({OVER} t desc, id rows between 9 preceding and 1 preceding) as a",
    "days": f"max(v) over ({OVER} d range between interval 3 days preceding and current row) as a, "
    f"count(*) over ({OVER} d range between interval 1 month preceding and current row) as b",
    "hours": f"min(v) over ({OVER} t desc range between interval 5 hours preceding and current row)"
    " as a",
    "numbers": f"count(s) over ({OVER} n range between 2.5 preceding and current row) as a",
    "ends": f"sum(v) over ({OVER} k range between 1 preceding and current row) as a",
    "ends_down": f"min(v) over ({OVER} cast(k as bigint) desc range 40 preceding) as a, "
    f"sum(n) over ({OVER} cast(k as bigint) desc range 40 preceding) as b",
    "late_days": f"max(s) over ({OVER} d range interval '9' day preceding) as a, "
    f"count(n) over ({OVER} d range interval '9' day preceding) as b",
    "days_down": f"sum(n) over ({OVER} d desc range between 12 preceding and current row) as a",
    "texts": f"lag(v, 3) over ({OVER} s desc, id) as a",
    "running": f"sum(v) over ({OVER} d desc) as a, row_number() over ({OVER} d desc, id) as b, "
    f"last_value(s) ignore nulls over ({OVER} d desc, id rows unbounded preceding) as c",
    "ranks": f"rank() over ({OVER} n) as a, max(t) over ({OVER} n) as b, lag(v) over ({OVER} n, id)"
    " as c",
}
FACTS = "{{ target.schema }}.facts"
BELOW = {
    name: f"(select id, k, g, v + 1 as v, date_add(d, 1) as d, t, n, s from {FACTS} where {kept})"
    for name, kept in {"running": "v < 8", "ranks": "s is null or s <> 'a'"}.items()
}
BELOW["days"] = f"{FACTS} lateral view explode(array(0, v)) copies as copy"
"""What a model reads in place of the table itself."""


CREATED = (
    "create table facts (id int, k int, g int, v int, d date, t timestamp, n decimal(10,2), "
    f"s string) using delta {FEED}"
)


def rows(draw: random.Random, numbers: range) -> str:
    """A statement that inserts a row for each number."""
    return f"insert into facts values {', '.join(row(draw, number) for number in numbers)}"


def moved(draw: random.Random, turn: int) -> tuple[str, ...]:
    """The statements that delete and update rows in every turn but the first."""
    if not turn:
        return ()
    return (
        f"delete from facts where v = {turn}",
        f"update facts set v = v + 1 where day(d) = {draw.randrange(1, 28)}",
    )


def row(draw: random.Random, number: int) -> str:
    """A row of the table; some keys are at the ends of their types, some NULL."""
    day = draw.randrange(60)
    values = (
        number,
        draw.choice([number, number, -2147483648, 2147483647, -2147483647]),
        draw.choice(["1", "2", "3", "null"]),
        draw.randrange(9),
        draw.choice([f"date_add(date'2024-01-31', {day})", "null"]),
        f"timestamp'2024-01-31 0{draw.randrange(9)}:00:00' + make_interval(0, 0, 0, {day % 3})",
        draw.choice(["1.5", "2.25", "99999999.99", "null", str(day)]),
        draw.choice(["null", "'a'", "'b'", f"'s{day}'"]),
    )
    return f"({', '.join(map(str, values))})"


class TestNearWindows:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            f"{name}.sql": "{{ config(materialized='ivm') }}\n"
            f"select id, k, g, v, d, t, n, s, {calls} from {BELOW.get(name, FACTS)}"
            for name, calls in CALLS.items()
        }

    def test_equal_their_queries(
        self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """After the first rounds, the table counts as a big one."""
        monkeypatch.setattr(window, "APART_ROWS", 92)
        draw = random.Random(3)
        warehouse.sql(
            "set spark.sql.ansi.enabled=false",
            CREATED,
            rows(draw, range(90)),
        )
        warehouse.run()
        for turn in range(budget(2, 4)):
            first = 1000 * (turn + 1)
            added = rows(draw, range(first, first + draw.choice([1, 5])))
            warehouse.sql(added, *moved(draw, turn))
            assert set(kinds(warehouse.run()).values()) == {"incremental"}
            warehouse.check(*CALLS)


ROW = "g, d, n, v, s"
ABOVE = {
    "above_lags": f"select {ROW}, lag(v) over (w) as a from rel",
    "above_leads": f"select {ROW}, lead(v) over (w) as a, lag(s, 2) over (w) as b from rel",
    "above_rows": f"select {ROW}, sum(v) over (w rows 3 preceding) as a from rel",
    "above_days": f"select {ROW}, max(v) over (partition by g order by d range between interval "
    "9 days preceding and current row) as a from rel",
    "above_running": f"select {ROW}, count(*) over (w) as a, row_number() over (w) as b from rel",
    "above_newest": f"select {ROW} from (select *, rank() over (w) as a from rel) where a = 1",
}
EVERY = "partition by g order by d desc, n, v, s"


class TestNearWindowsOverAModel:
    """The model below has equal rows, which its state counts."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        config = "{{ config(materialized='ivm') }}\n"
        below = f"select {ROW} from {{{{ target.schema }}}}.facts"
        above = {
            name: sql.replace("(w", f"({EVERY}").replace("rel", "{{ ref('below') }}")
            for name, sql in ABOVE.items()
        }
        return {f"{name}.sql": config + sql for name, sql in {"below": below, **above}.items()}

    def test_equal_their_queries(
        self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """After the first rounds, the model counts as a big one."""
        monkeypatch.setattr(window, "APART_ROWS", 92)
        draw = random.Random(5)
        warehouse.sql(
            CREATED,
            rows(draw, range(60)),
            "insert into facts select * from facts where g = 1",
        )
        warehouse.run()
        for turn in range(budget(2, 5)):
            first = 1000 * (turn + 1)
            added = rows(draw, range(first, first + 12))
            again = "insert into facts select * from facts limit 9"
            warehouse.sql(added, again, *moved(draw, turn))
            assert set(kinds(warehouse.run()).values()) == {"incremental"}
            warehouse.check("below", *ABOVE)
