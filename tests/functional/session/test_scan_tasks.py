"""The cores share the rows of a table, whatever its small files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session.handle import SessionHandle

pytestmark = pytest.mark.usefixtures("embedded")
TABLE = "default.uneven_files"
LARGE = 20_000


@pytest.fixture
def uneven(handle: SessionHandle) -> Iterator[str]:
    """A table of two large files, and of the small files of four appends."""
    rows = "select id, uuid() as a, uuid() as b from range({}, {}, 1, {})"
    handle.execute(f"create table {TABLE} using delta as {rows.format(0, 2 * LARGE, 2)}")
    for first in range(2 * LARGE, 2 * LARGE + 40, 10):
        handle.execute(f"insert into {TABLE} {rows.format(first, first + 10, 1)}")
    yield TABLE
    handle.execute(f"drop table {TABLE}")


def test_no_task_reads_two_large_files_while_another_waits(
    handle: SessionHandle, uneven: str
) -> None:
    handle.execute(
        f"select count(*) as rows from {uneven} group by spark_partition_id() order by rows desc"
    )
    most, *others = [row["rows"] for row in handle.fetchall()]
    assert LARGE <= most < 1.1 * LARGE
    assert sum(others) >= LARGE
