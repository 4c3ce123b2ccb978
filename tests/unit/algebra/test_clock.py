"""Texts that may be times, and what is known to depend on its sources' rows alone."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import clock_texts, computed_texts, is_clock_text
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.analysis.repeatability import (
    plan_reads_only_sources,
    reads_only_sources,
)


@pytest.mark.parametrize(
    "text",
    ["now", " Today", "\ttomorrow\n", "YESTERDAY UTC", "today+01:00", "10:00", " T9:00:01", "1:2"],
)
def test_a_text_that_may_be_a_time(text: str) -> None:
    assert is_clock_text(text)


@pytest.mark.parametrize(
    "text",
    ["nowhere", "todays", "epoch", "2024-01-01", "", "it is now", "at 10:00", "2024-01-01 10:00",
     "100:00", "Tea", "T1x", "1:", "Tx:1"],
)  # fmt: skip
def test_a_text_that_is_not_a_time(text: str) -> None:
    assert not is_clock_text(text)


def test_texts_of_a_query() -> None:
    query = sqlglot.parse_one(
        "select 'now' as a, d > 'today' as b, concat('to', 'day') as c, concat(x, 'y') as d, "
        "to_date('2024-01-01') as e from t",
        dialect=IvmSpark,
    )
    assert clock_texts(iter([query])) == {"now", "today"}
    computed = [to_sql(e) for e in computed_texts(iter([query]))]
    assert computed == ["concat('to', 'day')", "to_date('2024-01-01')"]


@pytest.mark.parametrize(
    "call",
    [
        "transform(tags, Q -> concat(q, 'a'))",
        "aggregate(tags, x, (acc, q) -> acc || q || 'b')",
        "transform(tags, q -> transform(others, r -> concat(q, 'a')))",
        "case when a > 1 then raise_error('too much') end",
        "coalesce(a, raise_error(concat('no ', 'a')))",
        "lag('x', 1, 'none') over (order by a)",
        "max('x') over (partition by a)",
        "mask(a, lowerChar => 'q')",
    ],
)
def test_a_part_that_is_no_text_by_itself_is_not_computed(call: str) -> None:
    query = sqlglot.parse_one(f"select {call} from t", dialect=IvmSpark)
    assert [to_sql(e) for e in computed_texts(iter([query])) if e.find(exp.Column)] == []
    assert [to_sql(e) for e in computed_texts(iter([query]))] in ([], ["concat('no ', 'a')"])


def test_a_text_with_a_format_is_no_time_of_today() -> None:
    query = sqlglot.parse_one(
        "select to_timestamp('10:30', 'HH:mm'), unix_timestamp('9:00', f), to_timestamp('11:30'), "
        "unix_timestamp(a, '12:00')",
        dialect=IvmSpark,
    )
    assert clock_texts(iter([query])) == {"11:30", "12:00"}


def test_a_constant_beside_a_parameter_is_computed() -> None:
    query = sqlglot.parse_one(
        "select transform(tags, q -> concat(q, upper('a'))) from t", dialect=IvmSpark
    )
    assert [to_sql(e) for e in computed_texts(iter([query]))] == ["upper('a')"]


@pytest.mark.parametrize(
    ("sql", "known"),
    [
        ("select cast('10:00' as timestamp) as x from t", False),
        ("select a from t where timestamp '10:00:00' < b", False),
        ("select a, row_number() over (order by a) as n from t", True),
        ("select a from t where exists (select 1 from u) union select b from u", True),
        ("select unix_timestamp(a) as u from t", True),
        ("select unix_timestamp() as u from t", False),
        ("select a from t where d > 'today'", False),
        ("select date 'today' as d from t", False),
        ("select cast(concat('to', 'day') as date) as d from t", False),
        ("select current_user() as u from t", False),
        ("select my_function(a) as u from t", False),
        ("select a from t tablesample (10 percent)", False),
        ("select a from t limit 3", False),
        ("select rand() as r from t", False),
    ],
)
def test_a_text_shows_whether_only_sources_are_read(sql: str, known: bool) -> None:
    assert reads_only_sources(sqlglot.parse_one(sql, dialect=IvmSpark)) is known


@pytest.mark.parametrize(
    ("expression", "known"),
    [
        ("(id#1 + cast(s#2 as int)) AS x#3", True),
        ("row_number() windowspecdefinition(id#1 ASC NULLS FIRST) AS n#3", True),
        ("(id#1 + variablereference(system.session.v=5)) AS x#3", False),
        ("current_user() AS u#3", False),
        ("_metadata#9.file_path AS f#3", False),
        ("id#1, ... 12 more fields", False),
    ],
)
def test_a_plan_shows_whether_only_sources_are_read(expression: str, known: bool) -> None:
    plan = (
        "== Parsed Logical Plan ==\nx\n\n== Analyzed Logical Plan ==\nx: int\n"
        f"Project [{expression}]\n+- Relation spark_catalog.s.t[id#1,s#2] parquet\n\n"
        "== Optimized Logical Plan ==\nx\n\n== Physical Plan ==\nx"
    )
    assert plan_reads_only_sources(plan) is known
