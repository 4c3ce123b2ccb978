"""How far a test of changed rows has come, by what the view and the state's log record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.commands.changes.feed import FeedError, Refresh, history
from dbt.adapters.ivm_spark.commands.changes.tested import PassedTests, Span, span
from dbt.adapters.ivm_spark.state.shown_row import ShownRow
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, ROW
from dbt.adapters.ivm_spark.watermark.watermark import Story, Watermark

FIRST = Watermark("state", 1, "q-c-s", {}, story=Story(kind="initial"))
LATER = [replace(FIRST, refresh=n, story=Story(kind="incremental")) for n in (2, 3, 4)]
VIEW = {PROPERTY: "a mark", ROW: "a row"}


def _refreshes(*marks: Watermark) -> list[Refresh]:
    return [Refresh(version, 1000 * version, mark) for version, mark in enumerate(marks)]


def _after_passing(at: Watermark) -> dict[str, str]:
    """The records after the test has passed at that refresh."""
    found = span(VIEW, _refreshes(at), {}, "a test")
    sent: list[str] = []

    def query(sql: str) -> list[dict[str, str]]:
        sent.append(sql)
        return []

    PassedTests(query).passed("`s`.`ivm_tested`", "a test", found)
    created, altered = sent
    assert created.startswith("create view if not exists `s`.`ivm_tested`")
    return {altered.split("'")[1]: found.mark}


def test_the_first_time_the_whole_view_is_read() -> None:
    assert span(VIEW, _refreshes(FIRST, *LATER), {}, "a test").whole
    assert not span(VIEW, _refreshes(FIRST), {}, "a test").empty


def test_after_that_what_was_added_since() -> None:
    records = _after_passing(LATER[0])
    found = span(VIEW, _refreshes(FIRST, *LATER), records, "a test")
    assert (found.since, found.now, found.whole, found.empty) == (2, 4, False, False)
    unchanged = span(VIEW, _refreshes(FIRST, LATER[0]), records, "a test")
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
    assert span(VIEW, _refreshes(*refreshes), _after_passing(LATER[0]), "a test").whole


def test_another_test_and_other_relations_are_read_as_a_whole() -> None:
    records = _after_passing(LATER[0])
    refreshes = _refreshes(FIRST, *LATER)
    assert span(VIEW, refreshes, records, "another test").whole
    assert span({ROW: "a row"}, refreshes, records, "a test") == Span(None)
    assert span({**VIEW, ROW: ""}, refreshes, records, "a test").whole


@pytest.mark.parametrize(
    ("condition", "alone"),
    [
        ("v < 100 and k in ('a', 'b')", True),
        ("coalesce(v, 0) > 1", True),
        ("d < current_date()", False),
        ("v > (select max(v) from t)", False),
        ("k in (select k from t)", False),
        ("rand() < 2", False),
        ("my_own(v)", False),
        ("not a condition at all (", False),
    ],
)
def test_a_condition_that_may_change_by_itself_is_asked_of_all_rows(
    condition: str, alone: bool
) -> None:
    assert PassedTests.is_of_one_row(None, condition) is alone


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
