"""The mark of a view: the same only for the same view."""

from __future__ import annotations

from dbt.adapters.ivm_spark.refresh.shown import is_described, mark_in, unsettled, view_mark

OUTPUTS = (("k", "string"), ("n", "bigint"))


def test_everything_that_makes_a_view_is_in_it() -> None:
    marks = {
        view_mark("q-c-s", "select 1", OUTPUTS, None),
        view_mark("q-c-t", "select 1", OUTPUTS, None),
        view_mark("q-c-s", "select 2", OUTPUTS, None),
        view_mark("q-c-s", "select 1", (("k", "string"), ("n", "int")), None),
        view_mark("q-c-s", "select 1", OUTPUTS, {"relation": "text"}),
        view_mark("q-c-s", "select 1", OUTPUTS, {"relation": "another text"}),
    }
    assert len(marks) == 6
    assert view_mark("q", "v", OUTPUTS, {}) == view_mark("q", "v", list(OUTPUTS), None)


def test_it_is_found_in_what_spark_says_of_a_view() -> None:
    for described in (None, {"relation": "text"}):
        for mark in (
            view_mark("0a-1b-2c", "v", OUTPUTS, described),
            unsettled(view_mark("0a-1b-2c", "v", OUTPUTS, described)),
        ):
            said = f"Type: VIEW\nTable Properties: [ivm_spark.fingerprint={mark}, other=1]\n"
            assert mark_in(said) == mark
            assert is_described(mark) == (described is not None)
    assert mark_in("Table Properties: [other=1]") == ""
