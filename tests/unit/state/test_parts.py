"""The parts of a state's new contents: every row is in exactly one of them."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.algebra.tree import Scan
from dbt.adapters.ivm_spark.analysis.origins import Origin
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.parts import MOST, PART_ROWS, bounds, bounds_sql, is_ranged, part

ROWS = {
    "int": ("select * from (values (-5), (0), (3), (4), (null), (9), (10)) as r(c)", "3", "9"),
    "decimal(9,2)": (
        "select c::decimal(9, 2) as c from (values (-5.25), (null), (3.1)) as r(c)",
        "-5.25",
        "3.1",
    ),
    "date": (
        "select c::date as c from (values ('1500-01-01'), ('2024-02-29'), ('9999-12-31'), (null)) "
        "as r(c)",
        "2024-02-29",
    ),
    "double": (
        "select c::double as c from (values ('-inf'), ('-0.0'), ('0.0'), ('inf'), ('nan'), (null)) "
        "as r(c)",
        "0.0",
        "inf",
    ),
}


@pytest.mark.parametrize("type_name", ROWS)
def test_every_row_is_in_one_part(type_name: str) -> None:
    contents, *values = ROWS[type_name]
    parts = [part(contents, "c", type_name, values, n) for n in range(1, len(values) + 2)]
    found = []
    for one in parts:
        tree = sqlglot.parse_one(one.select, read=IvmSpark)
        found += duckdb.sql(tree.sql("duckdb")).fetchall()
    assert sorted(map(repr, found)) == sorted(map(repr, duckdb.sql(contents).fetchall()))
    assert [one.number for one in parts] == list(range(1, len(values) + 2))
    assert {one.of for one in parts} == {len(values) + 1}


def test_the_bounds_are_sql_of_the_columns_type() -> None:
    moment = part("select 1", "at", "timestamp", ["-5"], 1)
    assert moment.where == "`at` < timestamp_micros(-5) OR `at` IS NULL"
    day = part("select 1", "da`y", "date", ["2024-01-01"], 2)
    assert day.where == "`da``y` >= CAST('2024-01-01' AS DATE)"


def test_a_bound_that_comes_twice_is_one() -> None:
    assert bounds("1,1,2,2", 9, wanted=5) == ("1", "2")
    assert bounds("", 9, wanted=5) == ()


def test_the_number_of_parts_fits_the_rows() -> None:
    texts = ",".join(str(number) for number in range(1, MOST))
    assert bounds(texts, 2 * PART_ROWS - 1, wanted=0) == ()
    assert bounds(texts, 2 * PART_ROWS, wanted=0) == ("50",)
    assert bounds(texts, 4 * PART_ROWS, wanted=0) == ("25", "50", "75")
    assert len(bounds(texts, 1000 * PART_ROWS, wanted=0)) == MOST - 1


def test_ranges_are_of_numbers_and_times() -> None:
    assert all(map(is_ranged, ("int", "decimal(3,1)", "double", "date", "timestamp_ntz")))
    assert not any(map(is_ranged, ("string", "boolean", "binary", "array<int>", "struct<a:int>")))


def test_a_quantile_that_is_no_value_of_its_type_is_left_out() -> None:
    origin = Origin(Scan("`s`.`t`", "t", (("c", "c"),)), column("c"))
    sql = bounds_sql([origin], "decimal(18,0)", 3, bind_plain)
    assert "transform(CAST(`bounds` AS ARRAY<STRING>), x -> TRY_CAST(x AS DECIMAL(18, 0)))" in sql
