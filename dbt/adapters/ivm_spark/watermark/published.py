"""What a commit of a published table records: which version of the state its rows are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from dbt.adapters.ivm_spark.source.commit import Commit, Effect
from dbt.adapters.ivm_spark.watermark.marked import marked, unmarked

_MARK = "ivmp1."
_OTHER_COLUMNS = frozenset({"ADD COLUMNS", "DROP COLUMNS", "RENAME COLUMN", "REPLACE COLUMNS"})


@dataclass(frozen=True)
class PublishedMark:
    """What a table shows.

    Attributes:
        state_id: of the state.
        version: of the state whose rows the table has, None if that is not certain.
        number: how many times the table was written for this state; it rises by one each time.
        form: a digest of the view's columns, its text over the state, and the table's layout.
    """

    state_id: str
    version: int | None
    number: int
    form: str

    def encode(self) -> str:
        """Return the mark as text for the commit's metadata."""
        return marked(_MARK, asdict(self))


@dataclass(frozen=True)
class PublishedTable:
    """What a published table's commits say of it.

    Attributes:
        mark: the newest mark, None if there is none.
        altered: somebody else has changed its rows or columns since.
    """

    mark: PublishedMark | None
    altered: bool = False


def published(commits: Sequence[Commit]) -> PublishedTable:
    """Return what commits of a table, newest first, say of it."""
    altered = False
    for commit in commits:
        facts = unmarked(_MARK, commit.metadata)
        if facts is not None:
            return PublishedTable(PublishedMark(**facts), altered)
        if commit.replaces:
            break  # by a table that is not ours
        reshapes = commit.operation.upper() in _OTHER_COLUMNS
        altered |= reshapes or commit.effect is not Effect.NOTHING
    return PublishedTable(None)
