"""A watermark survives the way through a commit's metadata, and only ours is read."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.watermark.configuration import Configuration
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel, RefreshStats, Work
from dbt.adapters.ivm_spark.watermark.watermark import (
    SourceWatermark,
    Story,
    Watermark,
    decode,
    newest,
)

MARK = Watermark(
    state_id="abc",
    refresh=7,
    fingerprint="a-b-c",
    sources={"`s`.`t; drop`": SourceWatermark("id", 12, 3)},
    outputs=(("na'me", "decimal(10,2)"),),
    types={"x": "bigint"},
    unsupported_reason=("OPERATOR_NOT_SUPPORTED", "LEFT JOIN"),
    stats=RefreshStats(5_000, True, False, Work(100, 0, 0, materialized=2)),
    cost_model=CostModel(3.5, 90, 2.25, 0.5),
    configured=Configuration(("k",), (), {"a": "b"}, "/here"),
    story=Story("full", "full", ("COST_MODEL", "5 of 9 rows"), (2.5, 1.25)),
)
OURS = Commit(4, "MERGE", {}, {"numTargetRowsInserted": "0"}, MARK.encode())


def test_round_trip() -> None:
    assert decode(MARK.encode()) == MARK


def test_an_encoded_watermark_is_safe_in_a_set_statement() -> None:
    assert set(MARK.encode()) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_="
    )


def test_the_record_has_the_names_that_earlier_versions_read() -> None:
    facts = json.loads(base64.urlsafe_b64decode(MARK.encode()[5:]))
    assert facts["lasting"] == ["OPERATOR_NOT_SUPPORTED", "LEFT JOIN"]
    assert facts["effort"]["work"]["rows"] == 100
    assert facts["effort"]["work"]["kept"] == 2
    assert facts["experience"]["full_seconds"] == 3.5


def test_keys_of_later_versions_are_ignored() -> None:
    facts = json.loads(base64.urlsafe_b64decode(MARK.encode()[5:]))
    facts["later"], facts["effort"]["later"], facts["story"]["later"] = 1, 2, 3
    text = base64.urlsafe_b64encode(json.dumps(facts).encode()).decode()
    assert decode("ivm2." + text) == MARK


@pytest.mark.parametrize("metadata", [None, "", "something of the user's", "ivm2.%%%", "ivm2.e30="])
def test_metadata_of_others_is_no_watermark(metadata: str | None) -> None:
    assert decode(metadata) is None


def test_a_later_format_is_not_read() -> None:
    text = base64.urlsafe_b64encode(json.dumps({"format": 99}).encode()).decode()
    assert decode("ivm2." + text) is None


@pytest.mark.parametrize(
    "metadata",
    [
        "ivm2.whatever",
        "ivm2."
        + base64.urlsafe_b64encode(
            b'{"format": 1, "state_id": "x", "sources": {"s": {"unknown": 1}}}'
        ).decode(),
    ],
)
def test_a_state_of_another_version_is_no_foreign_write(metadata: str) -> None:
    theirs = replace(OURS, version=5, metadata=metadata, metrics={"numTargetRowsInserted": "1"})
    history = newest([Commit(6, "OPTIMIZE", {}, {}), theirs, OURS])
    assert history.watermark is None
    assert history.modified == ""
    assert history.unread == "MERGE at version 5"
    assert newest([OURS, replace(theirs, version=3)]).watermark == MARK


def test_maintenance_in_between_is_no_modification() -> None:
    commits = [Commit(6, "OPTIMIZE", {}, {}), Commit(5, "SET TBLPROPERTIES", {}, {}), OURS]
    history = newest(commits)
    assert history.watermark == MARK
    assert history.modified == ""
    assert history.altered
    assert not newest([commits[0], OURS, commits[1]]).altered


def test_a_foreign_write_is_seen() -> None:
    history = newest([Commit(5, "DELETE", {}, {"numDeletedRows": "1"}), OURS])
    assert history.watermark == MARK
    assert history.modified == "DELETE at version 5"


@pytest.mark.parametrize("operation", ["RENAME COLUMN", "DROP COLUMNS", "CHANGE COLUMN"])
def test_another_column_is_a_modification(operation: str) -> None:
    assert newest([Commit(5, operation, {}, {}), OURS]).modified == f"{operation} at version 5"


def test_an_alter_that_carries_our_metadata_is_not_the_watermark() -> None:
    later = Commit(5, "SET TBLPROPERTIES", {}, {}, "ivm2.bogus")
    assert newest([later, OURS]).watermark == MARK


@pytest.mark.parametrize(
    ("committed", "seconds"),
    [("12500", 7.5), ("4000", 3.5), ("", 3.5), ("2026-01-01 00:00:00", 3.5)],
)
def test_a_commit_tells_how_long_its_refresh_took(committed: str, seconds: float) -> None:
    """A time that can't be, or that is not known, teaches nothing."""
    history = newest([replace(OURS, committed=committed)])
    assert history.cost_model.full_seconds == seconds


def test_a_state_of_an_older_version_has_no_cost_model() -> None:
    facts = json.loads(base64.urlsafe_b64decode(MARK.encode()[5:]))
    del facts["effort"], facts["experience"]
    text = "ivm2." + base64.urlsafe_b64encode(json.dumps(facts).encode()).decode()
    watermark = decode(text)
    assert watermark is not None
    assert watermark.sources == MARK.sources
    assert newest([replace(OURS, metadata=text, committed="9")]).cost_model == CostModel()


def test_commits_tell_how_many_rows_the_state_has() -> None:
    rebuilt = Commit(
        4, "CREATE OR REPLACE TABLE AS SELECT", {}, {"numOutputRows": "70"}, OURS.metadata
    )
    assert newest([rebuilt]).cost_model.state_rows == 70
    watermark = replace(
        MARK, stats=RefreshStats(1, False, False), cost_model=CostModel(state_rows=70)
    )
    metrics = {"numTargetRowsInserted": "5", "numTargetRowsDeleted": "2"}
    merged = Commit(5, "MERGE", {}, metrics, watermark.encode())
    assert newest([merged]).cost_model.state_rows == 73
