"""What an Iceberg table tells of its snapshots, as a head with commits."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.iceberg import Row, head_from, is_altered, newest_in
from dbt.adapters.ivm_spark.source.version_range import ChangeSource, Head, version_range
from dbt.adapters.ivm_spark.watermark.history import is_another, replacement
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark


def _snapshot(number: int, parent: int | None, operation: str = "append", **told: Any) -> Row:
    counts = {"added": "3", "deleted": None, "delete_files": "0"}
    return {
        "what": "snapshot",
        "snapshot_id": number,
        "parent_id": parent,
        "operation": operation,
        "time": str(1000 + number),
        "columns": None,
        **counts,
        **told,
    }


def _newest(number: int) -> Row:
    return {"what": "newest", "snapshot_id": number}


def _metadata(*entries: tuple[int | None, int | None]) -> list[Row]:
    return [{"what": "metadata", "snapshot_id": s, "columns": c} for s, c in entries]


def _head(newest: int, *snapshots: Row, columns: int = 0) -> Head:
    return head_from([*snapshots, _newest(newest), *_metadata((None, None), (newest, columns))])


CHAIN = (_snapshot(50, None), _snapshot(7, 50), _snapshot(90, 7))


@pytest.mark.parametrize(
    ("operation", "told", "effect", "rows"),
    [
        ("append", {"added": "3"}, Effect.INSERTS, 3),
        ("append", {"added": None}, Effect.INSERTS, 0),
        ("overwrite", {"added": "3", "deleted": "4"}, Effect.GENERAL, 7),
        ("delete", {"added": None, "deleted": "4"}, Effect.DELETES, 4),
        ("replace", {"added": "9", "deleted": "9"}, Effect.NOTHING, 0),
        ("unheard of", {"added": "9"}, Effect.GENERAL, 0),
    ],
)
def test_a_snapshot_has_the_effect_of_its_operation(
    operation: str, told: dict[str, Any], effect: Effect, rows: int
) -> None:
    (commit, _) = _head(2, _snapshot(1, None), _snapshot(2, 1, operation, **told)).commits
    assert commit.effect is effect
    assert (commit.rows if effect is not Effect.NOTHING else 0) == rows


def test_the_changes_after_a_snapshot_are_those_of_its_descendants() -> None:
    found = version_range("`t`", 50, _head(90, *CHAIN), None)
    assert (found.recorded, found.pinned, found.first) == (50, 90, 50)
    assert found.effect is Effect.INSERTS
    assert found.rows == 6
    assert found.source is ChangeSource.SNAPSHOTS
    assert found.broken is None
    assert not version_range("`t`", 90, _head(90, *CHAIN), None).moved


@pytest.mark.parametrize(
    ("newest", "recorded"),
    [(7, 90), (90, 8), (60, 90), (90, 51)],
    ids=["a former snapshot", "an expired one", "a branch", "one that is not known"],
)
def test_snapshots_in_no_line_have_no_changes(newest: int, recorded: int) -> None:
    head = _head(newest, *CHAIN, _snapshot(60, 50))
    found = version_range("`t`", recorded, head, None)
    assert found.broken is not None
    assert found.broken.code is ReasonCode.CHANGE_SET_MISSING
    assert head.gained(recorded) is None
    assert head.replaced(recorded)
    assert not head.is_before(recorded)


def test_a_head_goes_back_to_an_ancestor() -> None:
    head = _head(90, *CHAIN).at(7)
    assert head.version == 7
    assert [c.version for c in head.commits] == [7, 50]
    assert _head(90, *CHAIN).gained(50) == 6
    assert not _head(90, *CHAIN).replaced(50)


@pytest.mark.parametrize("files", ["1", None])
def test_delete_files_hide_changes(files: str | None) -> None:
    deleted = _snapshot(8, 90, "delete", delete_files=files)
    for head in (_head(8, *CHAIN, deleted), _head(9, *CHAIN, deleted, _snapshot(9, 8))):
        found = version_range("`t`", 90, head, None)
        assert found.broken is not None
        assert found.broken.code is ReasonCode.CHANGE_SET_MISSING
        assert "delete files" in found.broken.detail


def test_rewritten_files_change_nothing_whatever_they_delete() -> None:
    rewritten = _snapshot(8, 90, "replace", delete_files="1")
    assert not version_range("`t`", 90, _head(8, *CHAIN, rewritten), None).moved


def test_a_table_that_was_altered_since_has_uncertain_columns() -> None:
    told = [*CHAIN, _newest(90), *_metadata((7, 0), (90, 0), (90, 0))]
    assert is_altered(told)
    found = version_range("`t`", 50, head_from(told), None)
    assert found.broken is not None
    assert "altered" in found.broken.detail
    assert not version_range("`t`", 90, head_from(told), None).moved
    assert not is_altered([*CHAIN, _newest(90), *_metadata((7, 0), (90, 0))])
    assert is_altered([*CHAIN, _newest(90), *_metadata((7, 0))]), "its columns are not known"


def test_a_table_without_a_snapshot() -> None:
    assert newest_in(_metadata((None, None))) is None


def test_other_columns_are_told_from_other_tables() -> None:
    head = _head(90, *CHAIN, columns=1)
    for recorded, code in (
        ("snapshots 0", ReasonCode.DATA_SCHEMA_CHANGED),
        ("4d8f", ReasonCode.SOURCE_REPLACED),
        ("files 4d8f", ReasonCode.SOURCE_REPLACED),
    ):
        mark = SourceWatermark(recorded, 90)
        assert is_another(head, mark)
        assert replacement(head, mark) is code
    assert not is_another(head, SourceWatermark("snapshots 1", 50))
    assert is_another(Head(90, True, table_id="4d8f"), SourceWatermark("snapshots 1", 50))
