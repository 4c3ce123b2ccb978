"""Finds a state's last refresh, and checks whether a source is still the same table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.source.version_range import FILES, SNAPSHOTS, Head
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark, newest

FIRST_LOOK = 2
"""Commits that show the last refresh, unless the state was compacted or altered since."""


def since_last_refresh(reader: SourceReader, state: str) -> list[Commit]:
    """Return the newest commits of a state (quoted name), newest first, with its last refresh.

    The function reads two commits, then a few. If no refresh is among those, because others wrote
    or altered the state often since, it reads all commits that the log still has.
    """
    commits = reader.recent(state, FIRST_LOOK)
    if _shows(commits):
        return commits
    commits = reader.recent(state)
    return commits if _shows(commits) else reader.commits(state, 0)


def _shows(commits: Sequence[Commit]) -> bool:
    history = newest(commits)
    return history.watermark is not None or bool(history.unread)


def needs_id(head: Head, mark: SourceWatermark) -> bool:
    """Return whether `is_another` needs `head.table_id`."""
    if head.has_own_id:
        return True
    return head.version < mark.version or head.committed(mark.version) is None


def identified(reader: SourceReader, name: str, head: Head, mark: SourceWatermark) -> Head:
    """Return a source's head, with the table's id if `is_another` needs it.

    `name` is the quoted name of the source.
    """
    if head.has_own_id or not needs_id(head, mark):
        return head
    return replace(head, table_id=reader.table_id(name))


def is_another(head: Head, mark: SourceWatermark) -> bool:
    """Return whether a source is another table than the one in the watermark.

    It also is if it has other files, or if an Iceberg table has other columns.
    """
    if needs_id(head, mark):
        return head.table_id != mark.table_id
    return head.committed(mark.version) != mark.committed


def replacement(head: Head, mark: SourceWatermark) -> ReasonCode:
    """Return the code for a source that `is_another`: another table, other files or columns."""
    if head.files and mark.table_id.startswith(FILES):
        return ReasonCode.FILES_CHANGED
    if head.snapshots and mark.table_id.startswith(SNAPSHOTS):
        return ReasonCode.DATA_SCHEMA_CHANGED
    return ReasonCode.SOURCE_REPLACED
