"""What the commits of a version_range may have done, from Delta's own metrics."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.source.commit import Commit, Effect, commit_from
from dbt.adapters.ivm_spark.source.version_range import (
    ChangeSource,
    Head,
    VersionRange,
    version_range,
)

FEED = '{"delta.enableChangeDataFeed":"true"}'
NO_FEED = '{"delta.enableChangeDataFeed":"false"}'


def _commit(version: int, operation: str, metrics: Any = None, **parameters: str) -> Commit:
    return Commit(version, operation, parameters, metrics or {})


def _merge(version: int, inserted: int, updated: int, deleted: int) -> Commit:
    metrics = {
        "numTargetRowsInserted": str(inserted),
        "numTargetRowsUpdated": str(updated),
        "numTargetRowsDeleted": str(deleted),
    }
    return _commit(version, "MERGE", metrics)


USED = frozenset({"k", "a.b"})


def _range(
    *commits: Commit, feed: bool = True, used: frozenset[str] | None = USED, mapped: bool = True
) -> VersionRange:
    newest = max(c.version for c in commits)
    return version_range("`s`.`t`", 0, Head(newest, feed, commits, mapped=mapped), used)


def _rename(version: int, old: str, new: str) -> Commit:
    return _commit(version, "RENAME COLUMN", oldColumnPath=old, newColumnPath=new)


@pytest.mark.parametrize(
    ("commit", "effect", "rows", "net"),
    [
        (_commit(1, "WRITE", {"numOutputRows": "3"}, mode="Append"), Effect.INSERTS, 3, 3),
        (_commit(1, "WRITE", {"numOutputRows": "3"}, mode="Overwrite"), Effect.GENERAL, 3, None),
        (_commit(1, "STREAMING UPDATE", {}, outputMode="Append"), Effect.INSERTS, 0, None),
        (_commit(1, "DELETE", {"numDeletedRows": "2"}), Effect.DELETES, 2, -2),
        (_commit(1, "DELETE"), Effect.DELETES, 0, None),
        (_commit(1, "UPDATE", {"numUpdatedRows": "2"}), Effect.GENERAL, 2, 0),
        (_merge(1, 4, 0, 0), Effect.INSERTS, 4, 4),
        (_merge(1, 0, 0, 4), Effect.DELETES, 4, -4),
        (_merge(1, 3, 1, 1), Effect.GENERAL, 5, 2),
        (_merge(1, 0, 2, 0), Effect.GENERAL, 2, 0),
        (_merge(1, 0, 0, 0), Effect.NOTHING, 0, 0),
        (_commit(1, "MERGE"), Effect.GENERAL, 0, None),
        (_commit(1, "OPTIMIZE"), Effect.NOTHING, 0, 0),
        (_commit(1, "VACUUM END"), Effect.NOTHING, 0, 0),
        (_commit(1, "SOMETHING NEW"), Effect.GENERAL, 0, None),
        (_commit(1, "CHANGE COLUMN"), Effect.NOTHING, 0, 0),
    ],
)
def test_effects(commit: Commit, effect: Effect, rows: int, net: int | None) -> None:
    found = _range(commit)
    assert commit.net_rows == net
    assert found.effect is effect
    assert found.rows == rows
    assert found.broken is None


def test_gained_rows_are_known_only_if_every_commit_reports_them() -> None:
    commits = (
        _merge(4, 3, 1, 1),
        _commit(3, "DELETE", {"numDeletedRows": "5"}),
        _merge(2, 7, 0, 0),
    )
    head = Head(4, True, commits)
    assert (head.gained(2), head.gained(1), head.gained(4)) == (-3, 4, 0)
    assert head.gained(0) is None
    assert Head(5, True, (*commits, _commit(5, "RESTORE"))).gained(2) is None


def test_inserts_and_deletes_are_general() -> None:
    inserted = _commit(1, "WRITE", {"numOutputRows": "3"}, mode="Append")
    assert _range(inserted, _commit(2, "DELETE")).effect is Effect.GENERAL
    assert _range(inserted, _commit(2, "OPTIMIZE")).effect is Effect.INSERTS


@pytest.mark.parametrize(
    ("commits", "code"),
    [
        ([_commit(1, "UPDATE"), _commit(2, "SET TBLPROPERTIES", properties=FEED)], None),
        ([_commit(1, "SET TBLPROPERTIES", properties=FEED), _commit(2, "UPDATE")], None),
        (
            [_commit(1, "SET TBLPROPERTIES", properties=NO_FEED), _commit(2, "UPDATE")],
            "CDF_UNAVAILABLE",
        ),
        (
            [
                _commit(1, "SET TBLPROPERTIES", properties=NO_FEED),
                _commit(2, "UPDATE"),
                _commit(3, "SET TBLPROPERTIES", properties=FEED),
            ],
            "CDF_UNAVAILABLE",
        ),
        (
            [
                _commit(1, "SET TBLPROPERTIES", properties=NO_FEED),
                _commit(2, "SET TBLPROPERTIES", properties=FEED),
                _commit(3, "UPDATE"),
            ],
            None,
        ),
        ([_rename(1, "v", "w"), _commit(2, "UPDATE")], None),
        ([_rename(1, "v", "w"), _rename(2, "x", "K")], "DATA_SCHEMA_CHANGED"),
        ([_rename(1, "k", "w"), _rename(2, "x", "k")], "DATA_SCHEMA_CHANGED"),
        ([_rename(1, "k.field", "k.other")], "DATA_SCHEMA_CHANGED"),
        ([_rename(1, "`a.b`.c", "`a.b`.d")], "DATA_SCHEMA_CHANGED"),
        ([_rename(1, "a.k", "b.k")], None),
        ([_commit(1, "DROP COLUMNS", columns='["v","k"]')], "DATA_SCHEMA_CHANGED"),
        ([_commit(1, "DROP COLUMNS", columns='["v"]'), _commit(2, "UPDATE")], None),
        ([_commit(1, "REPLACE COLUMNS")], "DATA_SCHEMA_CHANGED"),
        ([_commit(1, "RESTORE")], "DATA_SCHEMA_CHANGED"),
        ([_commit(1, "REPLACE TABLE AS SELECT", properties=FEED)], "DATA_SCHEMA_CHANGED"),
        ([_commit(1, "ADD COLUMNS"), _commit(2, "UPDATE")], None),
        ([_commit(1, "SET TBLPROPERTIES", properties=NO_FEED)], None),
    ],
)
def test_whether_the_feed_can_be_read(commits: list[Commit], code: str | None) -> None:
    broken = _range(*commits).broken
    assert (broken.code if broken else None) == (ReasonCode(code) if code else None)


@pytest.mark.parametrize(
    ("commit", "code"),
    [
        (_commit(1, "CREATE OR REPLACE TABLE AS SELECT", properties="{}"), "CDF_UNAVAILABLE"),
        (_commit(1, "CLONE"), "CDF_UNAVAILABLE"),
        (_commit(1, "CREATE OR REPLACE TABLE AS SELECT", properties=FEED), None),
    ],
)
def test_a_replaced_table_without_column_mapping_needs_its_feed(
    commit: Commit, code: str | None
) -> None:
    broken = _range(commit, mapped=False).broken
    assert (broken.code if broken else None) == (ReasonCode(code) if code else None)


def test_restore_of_a_table_without_column_mapping_is_a_general_change() -> None:
    found = _range(_commit(1, "RESTORE"), mapped=False)
    assert found.broken is None
    assert found.effect is Effect.GENERAL


@pytest.mark.parametrize("operation", ["ADD COLUMNS", "CHANGE COLUMN", "DROP COLUMNS"])
def test_a_query_with_unknown_columns_moves_with_every_column(operation: str) -> None:
    """It moves with every change of a column; a maintained query has its fingerprint instead."""
    assert not _range(_commit(1, operation)).moved
    assert _range(_commit(1, operation), used=None).moved


def test_the_feed_is_read_from_the_first_commit_that_changed_rows() -> None:
    found = _range(
        _commit(1, "ADD COLUMNS"),
        _commit(2, "UPDATE"),
        _commit(3, "OPTIMIZE"),
        _commit(4, "DELETE"),
        _rename(5, "v", "w"),
    )
    assert (found.recorded, found.pinned) == (0, 5)
    assert found.first == 2


def test_a_feed_that_is_off_now() -> None:
    broken = _range(_commit(1, "UPDATE"), feed=False).broken
    assert broken is not None
    assert broken.code is ReasonCode.CDF_UNAVAILABLE


def test_commits_that_the_log_no_longer_has() -> None:
    broken = _range(_commit(2, "UPDATE")).broken
    assert broken is not None
    assert broken.code is ReasonCode.CHANGE_SET_MISSING


def test_a_row_of_history_through_thrift_has_maps_as_json() -> None:
    row = {
        "version": 3,
        "operation": "WRITE",
        "operationParameters": '{"mode":"Append"}',
        "operationMetrics": '{"numOutputRows":"2"}',
        "userMetadata": None,
    }
    assert commit_from(row).effect is Effect.INSERTS
    assert commit_from(row).rows == 2


def _tracked(*commits: Commit) -> VersionRange:
    newest = max(c.version for c in commits)
    return version_range("`s`.`t`", 0, Head(newest, False, commits, tracked=True), USED)


INSERT = _commit(1, "WRITE", {"numOutputRows": "3"}, mode="Append")


def test_row_tracking_takes_the_place_of_a_change_feed() -> None:
    found = _tracked(INSERT, _commit(2, "OPTIMIZE"))
    assert found.source is ChangeSource.TRACKING
    assert found.broken is None
    assert _range(INSERT).source is ChangeSource.FEED, "a table with a feed is read by it"


@pytest.mark.parametrize(
    "commit",
    [
        _commit(2, "SET TBLPROPERTIES", properties='{"delta.enableRowTracking":"true"}'),
        _commit(2, "UNSET TBLPROPERTIES", properties='["delta.enableRowTracking"]'),
        _commit(2, "CREATE OR REPLACE TABLE AS SELECT", properties="{}"),
        _commit(2, "RESTORE", {"numRestoredFiles": "1"}),
        _commit(2, "CLONE"),
    ],
)
def test_rows_that_may_have_other_ids_are_not_looked_for(commit: Commit) -> None:
    found = _tracked(INSERT, commit)
    assert found.source is ChangeSource.FEED
    assert found.broken is not None
    assert found.broken.code is ReasonCode.CDF_UNAVAILABLE
