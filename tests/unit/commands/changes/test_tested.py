"""How far a test of changed rows has come, by what the view and the state's log record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.commands.changes.feed import FeedError, Refresh, history
from dbt.adapters.ivm_spark.commands.changes.tested import Span, TestReader, span
from dbt.adapters.ivm_spark.state.shown_row import ShownRow
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, ROW
from dbt.adapters.ivm_spark.watermark.watermark import Story, Watermark

FIRST = Watermark("state", 1, "q-c-s", {}, story=Story(kind="initial"))
LATER = [replace(FIRST, refresh=n, story=Story(kind="incremental")) for n in (2, 3, 4)]
VIEW = {PROPERTY: "a mark", ROW: "a row"}


def _refreshes(*marks: Watermark) -> list[Refresh]:
    return [Refresh(version, 1000 * version, mark) for version, mark in enumerate(marks)]


def _after_passing(at: Watermark) -> dict[str, str]:
    """The view's properties after the test has passed at that refresh."""
    passed = span(VIEW, _refreshes(at), "a test")
    key = next(iter(_recorded(passed)))
    return {**VIEW, key: passed.mark}


def _recorded(found: Span) -> dict[str, str]:

    sent: list[str] = []
    TestReader(lambda sql: sent.append(sql) or []).passed("`v`", "a test", found)  # type: ignore[func-returns-value]
    return {sent[0].split("'")[1]: found.mark}


def test_the_first_time_the_whole_view_is_read() -> None:
    assert span(VIEW, _refreshes(FIRST, *LATER), "a test").whole
    assert not span(VIEW, _refreshes(FIRST), "a test").empty


def test_after_that_what_was_added_since() -> None:
    properties = _after_passing(LATER[0])
    found = span(properties, _refreshes(FIRST, *LATER), "a test")
    assert (found.since, found.now, found.whole, found.empty) == (2, 4, False, False)
    unchanged = span(properties, _refreshes(FIRST, LATER[0]), "a test")
    assert unchanged.empty


@pytest.mark.parametrize(
    "refreshes",
    [
        (FIRST, LATER[0], replace(LATER[1], story=Story(kind="full")), LATER[2]),
        (FIRST, LATER[0], LATER[2]),
        (replace(FIRST, refresh=3, state_id="another"),),
        (FIRST, LATER[0], replace(LATER[1], fingerprint="other-c-s")),
    ],
    ids=["rebuilt", "a refresh is missing", "another state", "another query"],
)
def test_the_whole_view_is_read_again(refreshes: tuple[Watermark, ...]) -> None:
    assert span(_after_passing(LATER[0]), _refreshes(*refreshes), "a test").whole


def test_another_test_and_other_relations_are_read_as_a_whole() -> None:
    properties = _after_passing(LATER[0])
    refreshes = _refreshes(FIRST, *LATER)
    assert span(properties, refreshes, "another test").whole
    assert span({k: v for k, v in properties.items() if k != PROPERTY}, refreshes, "a test") == (
        Span(None)
    )
    assert span({**properties, ROW: ""}, refreshes, "a test").whole


def test_a_history_begins_with_the_present_query() -> None:
    row = ShownRow((("k", "k"),), keys=("k",))
    refreshes = _refreshes(replace(FIRST, fingerprint="old-c-s"), *LATER)
    contents, changes = history("`s`", row, refreshes)
    assert (contents.since, contents.last) == (None, 1)
    assert (changes.since, changes.last) == (1, 3)
    with pytest.raises(FeedError, match="have no key"):
        history("`s`", replace(row, keys=()), refreshes)
    with pytest.raises(FeedError, match="no recorded refresh"):
        history("`s`", row, [])
