"""The snapshots of an Iceberg table as commits, in the words of Delta's history.

Snapshots have ids in no order, and a table may go back to a former one. So the commits of a table
are its newest snapshot and its ancestors, as far as they have not expired.

Iceberg's change log finds columns by the table's newest names. So it is not read if the table may
have got other names since the snapshot, and not between two snapshots with other columns.

Source: Iceberg's documentation, "Inspecting tables" and "Changelog view"; its classes
BaseIncrementalChangelogScan and SnapshotSummary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import RelationKind
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.source.version_range import SNAPSHOTS, Head

Row = Mapping[str, Any]
_TOLD = """select 'snapshot' as what, snapshot_id, parent_id, operation,
  string(unix_millis(committed_at)) as time, summary['added-records'] as added,
  summary['deleted-records'] as deleted, summary['total-delete-files'] as delete_files,
  cast(null as int) as columns
from {relation}.snapshots
union all
select 'newest', snapshot_id, null, null, null, null, null, null, null
from {relation}.refs where name = 'main'
union all
select 'metadata', latest_snapshot_id, null, null, string(unix_micros(timestamp)), null, null, null,
  latest_schema_id
from {relation}.metadata_log_entries"""
DELETE_FILES = "some of its rows are deleted by delete files, which its change log does not read"
"""Why changes can't be read if rows are deleted merge-on-read."""
_ALTERED = "it was altered after its newest snapshot"


def told_by(relation: str) -> str:
    """Return the statement that reads what an Iceberg table tells of its snapshots."""
    return _TOLD.format(relation=relation)


def newest_in(rows: Sequence[Row]) -> int | None:
    """Return the id of the newest snapshot in the rows of `told_by`, None if there is none."""
    return next((int(row["snapshot_id"]) for row in rows if row["what"] == "newest"), None)


def is_altered(rows: Sequence[Row]) -> bool:
    """Return whether the table was altered after its newest snapshot, or may have been."""
    newest = newest_in(rows)
    return sum(int(row["snapshot_id"]) == newest for row in _metadata(rows)) != 1


def head_from(rows: Sequence[Row]) -> Head:
    """Return the head of an Iceberg table with a snapshot from the rows of `told_by`."""
    newest = newest_in(rows)
    assert newest is not None
    commits = [_commit(row) for row in _ancestry(rows, newest)]
    if is_altered(rows) and not commits[0].unreadable:
        commits[0] = _unreadable(commits[0], _ALTERED)
    columns = {row["columns"] for row in _metadata(rows) if int(row["snapshot_id"]) == newest}
    return Head(
        newest,
        feed=False,
        commits=tuple(commits),
        table_id=f"{SNAPSHOTS}{','.join(sorted(map(str, columns)))}",
        kind=RelationKind.ICEBERG,
    )


def _metadata(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the table's former and newest metadata that have a snapshot."""
    return [r for r in rows if r["what"] == "metadata" and r["snapshot_id"] is not None]


def _ancestry(rows: Sequence[Row], newest: int) -> Iterator[Row]:
    """Yield the rows of a snapshot and its ancestors, newest first."""
    known = {int(row["snapshot_id"]): row for row in rows if row["what"] == "snapshot"}
    row = known.get(newest)
    while row is not None:
        yield row
        parent = row["parent_id"]
        row = None if parent is None else known.get(int(parent))


def _commit(row: Row) -> Commit:
    added, deleted = (int(row[name] or 0) for name in ("added", "deleted"))
    operation, mode, metrics = _in_words_of_delta(str(row["operation"]), added, deleted)
    commit = Commit(
        version=int(row["snapshot_id"]),
        operation=operation,
        parameters={"mode": mode} if mode else {},
        metrics={name: str(number) for name, number in metrics.items()},
        committed=str(row["time"]),
    )
    rewritten = str(row["operation"]) == "replace"
    return commit if rewritten or row["delete_files"] == "0" else _unreadable(commit, DELETE_FILES)


def _in_words_of_delta(
    operation: str, added: int, deleted: int
) -> tuple[str, str, Mapping[str, int]]:
    """Return operation, mode and metrics of a snapshot, as a commit of Delta has them.

    An overwrite also writes the rows of its files that did not change.
    """
    match operation:
        case "append":
            return "WRITE", "Append", {"numOutputRows": added}
        case "overwrite":
            return "WRITE", "Overwrite", {"numOutputRows": added + deleted}
        case "delete":
            return "DELETE", "", {"numDeletedRows": deleted}
        case "replace":
            return "OPTIMIZE", "", {}
        case _:
            return operation, "", {}


def _unreadable(commit: Commit, why: str) -> Commit:
    return replace(commit, unreadable=why)
