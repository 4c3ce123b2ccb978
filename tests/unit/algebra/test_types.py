"""A cast to a type is to the type that Spark named."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.types import cast_as

NAMES = (
    *("void", "time(6)", "string collate UTF8_LCASE", "array<string collate UNICODE>"),
    *("array<void>", "interval day to second", "interval month", "decimal(38,18)", "char(3)"),
    *("timestamp", "timestamp_ntz", "variant", "binary", "float", "map<string,array<int>>"),
    *("struct<a b:int,c:decimal(10,2),d e:struct<f-g:void>>", "map<string,struct<1st:date>>"),
    *("struct<a:int,b:struct<c:timestamp_ntz>>", "struct<`a-b`:int>", "geometry(4326)"),
)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_written_as_it_is(name: str) -> None:
    written = to_sql(cast_as(column("x"), name)).removeprefix("CAST(`x` AS ").removesuffix(")")
    bare = written.lower().replace(" ", "").replace("`", "")
    assert bare == name.lower().replace(" ", "").replace("`", "")


def test_fields_are_quoted() -> None:
    written = to_sql(cast_as(column("x"), "struct<a b:int,c:decimal(10,2),d:void>"))
    assert "struct<`a b`:int,`c`:decimal(10,2),`d`:void>" in written
