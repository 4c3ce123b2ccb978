"""What the commits of a published table say of it."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.watermark.published import PublishedMark, PublishedTable, published

MARK = PublishedMark("id", 7, 3, "form")


def commit(version: int, operation: str, metadata: str | None = None, **parameters: str) -> Commit:
    return Commit(version, operation, parameters, {}, metadata)


def test_the_newest_mark_counts() -> None:
    older = commit(4, "MERGE", PublishedMark("id", 6, 2, "form").encode())
    assert published([commit(5, "MERGE", MARK.encode()), older]) == PublishedTable(MARK)


@pytest.mark.parametrize(
    "since",
    [
        commit(6, "DELETE"),
        commit(6, "WRITE", mode="Append"),
        commit(6, "RESTORE"),
        commit(6, "RENAME COLUMN"),
        commit(6, "ADD COLUMNS"),
    ],
)
def test_rows_and_columns_of_others_are_noticed(since: Commit) -> None:
    found = published([since, commit(5, "MERGE", MARK.encode())])
    assert found == PublishedTable(MARK, altered=True)


@pytest.mark.parametrize("operation", ["OPTIMIZE", "SET TBLPROPERTIES", "CHANGE COLUMN"])
def test_compaction_and_comments_change_no_rows(operation: str) -> None:
    found = published([commit(6, operation), commit(5, "MERGE", MARK.encode())])
    assert found == PublishedTable(MARK)


@pytest.mark.parametrize("operation", ["CREATE OR REPLACE TABLE AS SELECT", "CLONE"])
def test_a_table_that_took_its_place_has_no_mark(operation: str) -> None:
    found = published([commit(6, operation), commit(5, "MERGE", MARK.encode())])
    assert found == PublishedTable(None)


def test_a_table_of_somebody_else_has_no_mark() -> None:
    assert published([commit(0, "CREATE TABLE", "ivmc1.e30=")]) == PublishedTable(None)
