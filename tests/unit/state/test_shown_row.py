"""What one row of a state shows."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.shown_row import ShownRow, decode_row, shown_row, stored_row
from tests.unit.golden.shop import CATALOG

TYPES = dict.fromkeys(("customer_id", "n", "order_id", "count", "count_2"), "bigint")
TYPES["note"] = "string"


def _row(sql: str, *outputs: tuple[str, str]) -> ShownRow | None:
    return shown_row(lay_out(build_view(sql, CATALOG), TYPES, "`s`.`v__ivm`"), TYPES, outputs)


def test_a_group_is_shown_under_its_having() -> None:
    row = _row(
        "select customer_id, count(*) + 1 as n from orders group by customer_id "
        "having count(*) > 2",
        ("customer_id", "bigint"), ("n", "bigint"),
    )  # fmt: skip
    assert row is not None
    assert row.keys == ("customer_id",)
    assert not row.copies
    assert row.columns[0] == ("customer_id", "`customer_id`")
    assert "`__ivm_count` + 1" in row.columns[1][1]
    assert row.conditions == ("`__ivm_count` > 2",)
    assert decode_row(row.encode()) == row


def test_rows_are_shown_as_often_as_they_are_counted() -> None:
    row = _row("select order_id, note from orders", ("order_id", "bigint"), ("note", "string"))
    assert row is not None
    assert (row.keys, row.copies) == ((), "__ivm_count")


def test_rows_of_distinct_are_shown_once() -> None:
    row = _row("select distinct note from orders", ("note", "string"))
    assert row == ShownRow((("note", "CAST(`note` AS STRING)"),))


@pytest.mark.parametrize("limit", ["limit 3", "limit 3 offset 1"])
def test_a_limit_depends_on_other_rows(limit: str) -> None:
    sql = f"select order_id, note from orders order by order_id {limit}"
    assert _row(sql, ("order_id", "bigint"), ("note", "string")) is None


def test_an_order_depends_on_no_other_row() -> None:
    assert _row("select note from orders order by note", ("note", "string")) is not None


def test_a_stored_row_shows_its_columns_by_name() -> None:
    row = stored_row((("a b", "int"), ("nothing", "void")))
    assert row == ShownRow((("a b", "`__ivm_column_1`"), ("nothing", "NULL")))
    assert stored_row((("m", "map<string,int>"),)) is None
