"""A state's history is read as far as its last refresh, and no further."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.watermark.history import since_last_refresh
from dbt.adapters.ivm_spark.watermark.watermark import newest
from tests.unit.watermark.test_watermark import MARK


class Log:
    """Answers DESCRIBE HISTORY of a state whose only refresh has so many commits behind it."""

    def __init__(self, since: int) -> None:
        self.limits: list[int] = []
        after = [_row(version, "OPTIMIZE") for version in range(since, 0, -1)]
        self.rows = [*after, _row(0, "MERGE", MARK.encode())]

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        assert sql.startswith("describe history `v__ivm` limit ")
        self.limits.append(int(sql.split()[4]))
        return self.rows[: self.limits[-1]]


def _row(version: int, operation: str, metadata: str | None = None) -> dict[str, Any]:
    return {
        "version": version,
        "timestamp": "0",
        "operation": operation,
        "operationParameters": {},
        "operationMetrics": {},
        "userMetadata": metadata,
    }


@pytest.mark.parametrize(
    ("commits", "limits"), [(0, [2]), (1, [2]), (2, [2, 8]), (7, [2, 8]), (20, [2, 8, 8, 21])]
)
def test_commits_are_read_back_to_the_last_refresh(commits: int, limits: list[int]) -> None:
    log = Log(commits)
    history = newest(since_last_refresh(SourceReader(log), "`v__ivm`"))
    assert (history.watermark, history.version) == (MARK, commits)
    assert log.limits == limits


def test_a_state_without_a_refresh_is_read_to_its_end() -> None:
    log = Log(20)
    log.rows = log.rows[:20]
    assert newest(since_last_refresh(SourceReader(log), "`v__ivm`")).watermark is None
    assert len(log.limits) == 4
