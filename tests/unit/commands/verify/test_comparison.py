"""How rows are compared, and which of them are sampled."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.commands.verify.comparison import (
    ComparisonError,
    columns_of,
    sampled_by,
)

OUTPUTS = (("Segment", "string"), ("total", "double"), ("tags", "array<float>"), ("n", "bigint"))


def test_floats_are_compared_to_twelve_digits() -> None:
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
def test_each_type_is_compared_by_a_groupable_form(kind: str, form: str) -> None:
    (column,) = columns_of([("c", kind)], ())
    assert column.compared == form


def test_excluded_columns_are_not_compared() -> None:
    assert [c.name for c in columns_of(OUTPUTS, ["SEGMENT", "tags"])] == ["`total`", "`n`"]
    with pytest.raises(
        ComparisonError,
        match=r"exclude names x, which the view does not have\. Its columns are: Segment, total",
    ):
        columns_of(OUTPUTS, ["x"])
    with pytest.raises(ComparisonError, match="nothing is left to compare"):
        columns_of(OUTPUTS[:1], ["segment"])


def test_a_sample_hashes_the_keys_if_there_are_any() -> None:
    """A group with a wrong sum is in the sample on both sides, or on none."""
    assert sampled_by(None, OUTPUTS, ["n"]) == ""
    assert sampled_by(0.01, OUTPUTS, ["Segment", "n"]) == (
        "pmod(xxhash64(`Segment`, `n`), 1000000) < 10000"
    )
    assert "format_string" in sampled_by("0.5", OUTPUTS, [])


@pytest.mark.parametrize("sample", [0, -0.1, 1.5, "much", True, float("nan"), [0.1]])
def test_a_sample_is_a_fraction(sample: object) -> None:
    with pytest.raises(ComparisonError, match="above 0 and at most 1"):
        sampled_by(sample, OUTPUTS, [])
