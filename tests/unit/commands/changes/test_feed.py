"""Which versions of a state a request for its changes covers."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.commands.changes.feed import (
    FeedError,
    Refresh,
    consumed,
    consumer_mark,
    feed,
    refreshes_in,
)
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.state.shown_row import ShownRow
from dbt.adapters.ivm_spark.watermark.watermark import Watermark

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z
ROW = ShownRow((("k", "`k`"),), keys=("k",))


def _mark(number: int, query: str = "q") -> Watermark:
    return Watermark("state", number, query, {})


def _refreshes(*queries: str) -> list[Refresh]:
    """Refreshes 1, 2, ... at versions 0, 2, 4, ... an hour apart."""
    return [
        Refresh(2 * n, NOON + n * 3_600_000, _mark(n + 1, query))
        for n, query in enumerate(queries or "qqqq")
    ]


def _commit(version: int, metadata: str | None) -> Commit:
    return Commit(version, "MERGE", {}, {}, metadata, str(NOON + version))


@pytest.mark.parametrize(
    ("since", "until", "first", "last"),
    [
        (1, None, 1, 6),
        (1, 2, 1, 2),
        ({"refresh": 2}, {"refresh": 3}, 3, 4),
        ({"version": 3}, {"version": 5}, 3, 4),
        ("2026-01-01T13:30:00+00:00", "2026-01-01T14:00:00+00:00", 3, 4),
        ({"timestamp": "2026-01-01 12:00:00+00:00"}, None, 1, 6),
    ],
)
def test_since_and_until_bound_the_versions(since: Any, until: Any, first: int, last: int) -> None:
    found = feed("s", ROW, _refreshes(), since, until)
    assert (found.first, found.last) == (first, last)
    assert not found.empty
    assert all(first <= version <= last for version, _ in found.refreshes)


def test_without_since_the_feed_is_the_contents() -> None:
    found = feed("s", ROW, _refreshes(), None, 3)
    assert (found.since, found.last, found.refreshes) == (None, 4, ((4, 3),))


def test_equal_since_and_until_give_an_empty_feed() -> None:
    found = feed("s", ROW, _refreshes(), 2, 2)
    assert found.empty
    assert found.first == found.last == 2


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"since": 9}, "since is 9; the state has the refreshes 1 to 4 (versions 0 to 6)"),
        ({"since": 3, "until": 2}, "later than until"),
        ({"since": "noon"}, "it must be"),
        ({"since": {"week": 1}}, "it must be"),
        ({"since": True}, "it must be"),
        ({"until": "2020-01-01"}, "the state has the refreshes"),
        ({"form": "net"}, "compressed, transactional"),
        ({"updates": "both"}, "pairs, rows"),
    ],
)
def test_an_impossible_request_is_an_error(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(FeedError) as error:
        feed("s", ROW, _refreshes(), **asked)
    assert says in str(error.value)


def test_a_changed_query_in_the_span_is_an_error_with_the_first_since() -> None:
    changed = _refreshes("a", "a", "b", "b")
    with pytest.raises(FeedError, match="Set since to 3"):
        feed("s", ROW, changed, since=1)
    assert feed("s", ROW, changed, since=3).last == 6
    assert feed("s", ROW, changed, since=1, until=2).last == 2


def test_rows_that_depend_on_one_another_are_compared_as_a_whole() -> None:
    assert not feed("s", None, _refreshes(), since=1).paired
    with pytest.raises(FeedError, match="form='compressed'"):
        feed("s", None, _refreshes(), since=1, form="transactional")


def test_a_state_without_refreshes() -> None:
    with pytest.raises(FeedError, match="Run its model first"):
        feed("s", ROW, [])


def test_commits_of_others_are_no_refreshes() -> None:
    commits = [
        _commit(3, _mark(2).encode()), _commit(2, None), _commit(1, "x"),
        _commit(0, _mark(1).encode()),
    ]  # fmt: skip
    assert [(r.version, r.watermark.refresh) for r in refreshes_in(commits)] == [(0, 1), (3, 2)]


def test_a_consumer_finds_its_own_place() -> None:
    commits = [
        _commit(0, consumer_mark("audit", "v", 4)), _commit(1, consumer_mark("audit", "v", 6)),
        _commit(2, consumer_mark("other", "v", 8)), _commit(3, consumer_mark("audit", "w", 9)),
        _commit(4, None), _commit(5, "ivmc1.%%%"),
    ]  # fmt: skip
    assert consumed(commits, "audit", "v") == 6
    assert consumed(commits, "nobody", "v") is None
