"""What rows are compared by, and which of them are sampled."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.commands.verify.comparison import (
    ComparisonError,
    columns_of,
    sampled_by,
)

OUTPUTS = (("Segment", "string"), ("total", "double"), ("tags", "array<float>"), ("n", "bigint"))


def test_floats_are_equal_to_twelve_digits_and_all_else_as_spark_says() -> None:
    segment, total, tags, n = columns_of(OUTPUTS, ())
    assert (segment.name, segment.compared) == ("`Segment`", "`Segment`")
    assert n.compared == "`n`"
    assert [c.inexact for c in (segment, total, tags, n)] == [False, True, False, False]
    rounded = "format_string('%.11e', CAST({0} AS DOUBLE) + CAST(0 AS DOUBLE))"
    assert total.compared == f"IF(`total` IS NULL, NULL, {rounded.format('`total`')})"
    part = rounded.format("ivm_part0")
    assert tags.compared == (f"transform(`tags`, ivm_part0 -> IF(ivm_part0 IS NULL, NULL, {part}))")


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("map<string,int>", "sort_array(transform(map_entries(`c`), ivm_part0 -> ivm_part0))"),
        ("variant", "to_json(`c`)"),
        ("void", "CAST(`c` AS STRING)"),
        ("struct<a:int,b:string>", "`c`"),
        (
            "struct<a:int,b:variant>",
            "IF(`c` IS NULL, NULL, named_struct('a', `c`.`a`, 'b', to_json(`c`.`b`)))",
        ),
        ("struct<not a name:double>", "`c`"),
    ],
)
def test_what_group_by_can_not_tell_apart_has_a_form_that_it_can(kind: str, form: str) -> None:
    (column,) = columns_of([("c", kind)], ())
    assert column.compared == form


def test_excluded_columns_are_not_compared() -> None:
    assert [c.name for c in columns_of(OUTPUTS, ["SEGMENT", "tags"])] == ["`total`", "`n`"]
    with pytest.raises(ComparisonError, match="exclude names x; its columns are: Segment, total"):
        columns_of(OUTPUTS, ["x"])
    with pytest.raises(ComparisonError, match="nothing to compare"):
        columns_of(OUTPUTS[:1], ["segment"])


def test_a_sample_is_of_keys_where_there_are_any() -> None:
    """A group with a wrong sum is in the sample on both sides, or on none."""
    assert sampled_by(None, OUTPUTS, ["n"]) == ""
    assert sampled_by(0.01, OUTPUTS, ["Segment", "n"]) == (
        "pmod(xxhash64(`Segment`, `n`), 1000000) < 10000"
    )
    assert "format_string" in sampled_by("0.5", OUTPUTS, [])


@pytest.mark.parametrize("sample", [0, -0.1, 1.5, "much", True, float("nan"), [0.1]])
def test_a_sample_is_a_fraction(sample: object) -> None:
    with pytest.raises(ComparisonError, match="above 0, at most 1"):
        sampled_by(sample, OUTPUTS, [])
