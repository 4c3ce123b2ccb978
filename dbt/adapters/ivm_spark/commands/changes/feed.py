"""The view's own changes between two of its refreshes: which versions, and what to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, takewhile
from typing import Any

from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.state.feed import FORMS, UPDATES, Feed
from dbt.adapters.ivm_spark.state.shown_row import ShownRow
from dbt.adapters.ivm_spark.watermark.marked import marked, unmarked
from dbt.adapters.ivm_spark.watermark.watermark import Watermark, decode

_CONSUMER = "ivmc1."


class FeedError(ValueError):
    """The requested changes can't be read; the message says why, and what can be read."""


@dataclass(frozen=True)
class Refresh:
    """One refresh among the state's commits.

    Attributes:
        version: Delta's version of the state.
        committed: when it was committed, in milliseconds.
        watermark: the watermark that its commit recorded.
    """

    version: int
    committed: int
    watermark: Watermark


def refreshes_in(commits: Sequence[Commit]) -> list[Refresh]:
    """Return the refreshes among a state's commits, oldest first."""
    found: list[Refresh] = []
    for commit in sorted(commits, key=lambda c: c.version):
        watermark = decode(commit.metadata)
        if watermark is not None and (
            not found or found[-1].watermark.refresh != watermark.refresh
        ):
            committed = int(commit.committed) if commit.committed.isdigit() else 0
            found.append(Refresh(commit.version, committed, watermark))
    return found


def feed(
    state: str,
    row: ShownRow | None,
    refreshes: Sequence[Refresh],
    since: Any = None,
    until: Any = None,
    form: str = FORMS[0],
    updates: str = UPDATES[0],
) -> Feed:
    """Return the changes after `since`, up to and including `until`.

    since and until are each a refresh's number, a mapping with one of `refresh`, `version` and
    `timestamp` (ISO 8601), or such a time as text. None means the beginning for `since`, and the
    newest refresh for `until`.

    Raises FeedError.
    """
    if form not in FORMS:
        raise FeedError(f"form is {form!r}; it must be one of: {', '.join(FORMS)}")
    if updates not in UPDATES:
        raise FeedError(f"updates is {updates!r}; it must be one of: {', '.join(UPDATES)}")
    if not refreshes:
        raise FeedError(f"{state} has no recorded refresh. Run its model first")
    last = refreshes[-1] if until is None else _at(refreshes, "until", until)
    begin = None if since is None else _at(refreshes, "since", since)
    if begin is not None and begin.version > last.version:
        raise FeedError(f"since ({since!r}) is later than until ({until!r})")
    span = [r for r in refreshes if begin and begin.version <= r.version <= last.version]
    for one, other in pairwise(span):
        if one.watermark.fingerprint != other.watermark.fingerprint:
            raise FeedError(
                f"the query changed at refresh {other.watermark.refresh} (version "
                f"{other.version}), and no feed spans that change. Set since to "
                f"{other.watermark.refresh} or later"
            )
    if row is None and form != FORMS[0]:
        raise FeedError(
            "this view's rows depend on one another (LIMIT) or can't be matched, so its changes "
            "are available only with form='compressed'"
        )
    numbers = tuple((r.version, r.watermark.refresh) for r in (span[1:] or [last]))
    since_version = None if begin is None else begin.version
    return Feed(state, row, form, updates, since_version, last.version, last.committed, numbers)


def history(
    state: str, row: ShownRow | None, refreshes: Sequence[Refresh], since: Any = None
) -> tuple[Feed, Feed]:
    """Return the contents at a refresh, and the changes of each refresh after it.

    `since` is as for `feed`. Without it, the refresh is the first that was made of the query that
    the newest refresh was made of. Raises FeedError.
    """
    if row is None or not row.keys:
        raise FeedError(
            "its rows have no key that tells an old row from a new one; only views with GROUP BY "
            "have. Use ivm_changes"
        )
    if since is None and refreshes:
        query = refreshes[-1].watermark.fingerprint
        same = takewhile(lambda r: r.watermark.fingerprint == query, reversed(refreshes))
        since = {"version": list(same)[-1].version}
    contents = feed(state, row, refreshes, until=since, form=FORMS[1])
    return contents, feed(state, row, refreshes, since=since, form=FORMS[1])


def consumer_mark(consumer: str, view: str, version: int) -> str:
    """Return what a consumer's commit records: the version of the view's state it has read to."""
    return marked(_CONSUMER, {"consumer": consumer, "view": view, "version": version})


def consumed(commits: Sequence[Commit], consumer: str, view: str) -> int | None:
    """Return the version that a consumer has read to, by its own commits; None before the first."""
    for commit in sorted(commits, key=lambda c: -c.version):
        facts = unmarked(_CONSUMER, commit.metadata) or {}
        if facts.get("consumer") == consumer and facts.get("view") == view:
            return int(facts["version"])
    return None


def _at(refreshes: Sequence[Refresh], name: str, given: Any) -> Refresh:
    """Return the newest refresh that is not later than the given one."""
    kind, value = _kind(name, given)
    found = [r for r in refreshes if _place(r, kind) <= value]
    exact = kind != "refresh" or (found and found[-1].watermark.refresh == value)
    if not found or not exact:
        first, last = refreshes[0], refreshes[-1]
        raise FeedError(
            f"{name} is {given!r}; the state has the refreshes {first.watermark.refresh} to "
            f"{last.watermark.refresh} (versions {first.version} to {last.version})"
        )
    return found[-1]


def _place(refresh: Refresh, kind: str) -> int:
    if kind == "refresh":
        return refresh.watermark.refresh
    return refresh.version if kind == "version" else refresh.committed


def _kind(name: str, given: Any) -> tuple[str, int]:
    message = (
        f"{name} is {given!r}; it must be a refresh number, a time as text (ISO 8601), or a "
        "mapping with one of refresh, version, timestamp"
    )
    if isinstance(given, Mapping) and len(given) == 1:
        ((kind, value),) = given.items()
    elif isinstance(given, str):
        kind, value = "timestamp", given
    else:
        kind, value = "refresh", given
    if kind == "timestamp":
        try:
            return kind, round(datetime.fromisoformat(str(value)).timestamp() * 1000)
        except ValueError:
            raise FeedError(message) from None
    if kind not in ("refresh", "version") or isinstance(value, bool) or not isinstance(value, int):
        raise FeedError(message)
    return kind, value
