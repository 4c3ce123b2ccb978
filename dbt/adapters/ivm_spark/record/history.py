"""How much of a state's history it takes to see its last refresh."""

from __future__ import annotations

from dbt.adapters.ivm_spark.record.watermark import newest
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.source.reader import SourceReader


def since_last_refresh(reader: SourceReader, state: str) -> list[Commit]:
    """The newest commits of a state (quoted name), newest first: a few, or all that the log still
    has where no refresh is among those, because others wrote or altered it often since."""
    commits = reader.recent(state)
    history = newest(commits)
    if history.watermark is None and not history.unread:
        commits = reader.commits(state, 0)
    return commits
