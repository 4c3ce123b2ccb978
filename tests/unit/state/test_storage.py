"""What Delta stores, and the form in which an interval is kept."""

from __future__ import annotations

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.state.storage import form_of, is_stored


@pytest.mark.parametrize(
    ("type_name", "stored"),
    [
        ("int", True), ("decimal(38,18)", True), ("timestamp_ntz", True), ("char(3)", True),
        ("array<struct<a:int,interval:string>>", True), ("map<string,array<date>>", True),
        ("struct<`void of: x`:binary>", True),
        ("struct<a b:int,c-d:map<int,struct<e f:date>>>", True), ("variant", True),
        ("interval day to second", False), ("array<interval month>", False), ("void", False),
        ("struct<a:void>", False), ("string collate UTF8_LCASE", False), ("time(6)", False),
        ("struct<a:string collate UNICODE>", False), ("interval", False), ("geometry(4326)", False),
    ],
)  # fmt: skip
def test_only_some_types_are_stored(type_name: str, stored: bool) -> None:
    assert is_stored(type_name) is stored


def test_an_interval_is_a_number_and_comes_back() -> None:
    form = form_of("interval hour to second")
    assert form is not None
    kept = "CAST(CAST(d AS INTERVAL SECOND) AS DECIMAL(19, 6))"
    assert to_sql(form.encode(exp.column("d"))) == kept
    shown = "CAST(CAST(n AS INTERVAL SECOND) AS INTERVAL HOUR TO SECOND)"
    assert to_sql(form.decode(exp.column("n"))) == shown
    months = form_of("interval year")
    assert months is not None
    assert to_sql(months.encode(exp.column("d"))) == "CAST(CAST(d AS INTERVAL MONTH) AS INT)"
    assert form_of("interval") is None
    assert form_of("string") is None
