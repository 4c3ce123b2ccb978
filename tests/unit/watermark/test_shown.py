"""The mark of a view: the same only for the same view."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.state.held import named
from dbt.adapters.ivm_spark.watermark.shown import (
    is_described,
    is_shown,
    mark_in,
    unsettled,
    view_mark,
)

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


def test_the_mark_is_found_in_sparks_description_of_a_view() -> None:
    for described in (None, {"relation": "text"}):
        for mark in (
            view_mark("0a-1b-2c", "v", OUTPUTS, described),
            unsettled(view_mark("0a-1b-2c", "v", OUTPUTS, described)),
        ):
            said = f"Type: VIEW\nTable Properties: [ivm_spark.fingerprint={mark}, other=1]\n"
            assert mark_in(said) == mark
            assert is_described(mark) == (described is not None)
    assert mark_in("Table Properties: [other=1]") == ""


MARK = view_mark("a1-b2-c3", "select k, v from s", OUTPUTS, None)


def _information(text: str, mark: str = MARK) -> str:
    return (
        f"Type: VIEW\nView Text: {text}\nView Original Text: {text}\n"
        f"Table Properties: [ivm_spark.fingerprint={mark}]\n"
    )


@pytest.mark.parametrize(
    ("information", "shown"),
    [
        (_information("select k,\n  v\nfrom s"), True),
        (_information("select  k, v from s"), True),
        (_information(named("select k, v from s", ["k", "v"])), True),
        (_information("select k, v from s where k > 1"), False),
        (_information(named("select k, v from s where k > 1", ["k", "v"])), False),
        (_information("select 1 as one union all select k, v from s"), False),
        (_information("select k, v from s", "a1-b2-c3"), False),
        (_information("select k, v from s").replace("ivm_spark", "other"), False),
        ("", False),
    ],
)
def test_a_view_is_told_by_mark_and_text(information: str, shown: bool) -> None:
    text = "select k, v from s"
    assert is_shown(information, MARK, (text, named(text, ["k", "v"]))) is shown
