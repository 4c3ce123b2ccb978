"""What the statistics of files tell of a column. No JVM."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.session.table_files import File, TableFiles


class _Snapshot:
    """A snapshot of which only the files are asked."""

    def numFiles(self) -> int:
        return 0

    tableSizeBytes = version = numFiles

    def metadata(self) -> _Snapshot:
        return self

    def id(self) -> str:
        return "t"


def _files(*ends: tuple[Any, Any] | None) -> TableFiles:
    """Files whose column `k` has these least and greatest values; None for no statistics."""
    files = TableFiles(None, _Snapshot(), _Snapshot())
    said = (
        {} if pair is None else {"minValues": {"k": pair[0]}, "maxValues": {"k": pair[1]}}
        for pair in ends
    )
    files.__dict__ |= {"said": tuple(File(1, one) for one in said), "are_mapped": False}
    return files


ALIKE = {
    "one range": [(1, 9), (2, 8), (1, 10)],
    "no file": [],
    "no statistics": [None, None],
    "some without statistics": [(1, 2), None, (1, 2)],
    "only NULLs in some": [(1, 2), (None, None), (2, 3)],
    "texts": [("a", "x"), ("b", "y"), ("a", "z")],
    "dates": [("2024-01-01", "2024-12-31"), ("2024-02-01", "2024-12-01")],
    "the newest file has other values": [*[(1, 9), (2, 8)] * 6, (20, 30)],
}
APART = {
    "in order": [(n, n + 1) for n in range(0, 60, 2)],
    "dates in order": [(f"2024-01-{n:02}", f"2024-01-{n + 1:02}") for n in range(1, 20)],
    "a few files": [(1, 2), (3, 4)],
    "overlapping neighbours": [(n, n + 5) for n in range(40)],
    "nested": [({"a": 1}, {"a": 2})] * 3,
}


@pytest.mark.parametrize("ends", ALIKE.values(), ids=ALIKE)
def test_files_are_alike(ends: list[Any]) -> None:
    assert _files(*ends).are_alike_in("k")
    assert _files(*ends).are_alike_in("other"), "nothing is known of this column in any file"


@pytest.mark.parametrize("ends", APART.values(), ids=APART)
def test_files_are_not_alike(ends: list[Any]) -> None:
    assert not _files(*ends).are_alike_in("k")


def test_mapped_columns_are_not_looked_up() -> None:
    files = _files((1, 2), (1, 2))
    files.__dict__["are_mapped"] = True
    assert not files.are_alike_in("k")
