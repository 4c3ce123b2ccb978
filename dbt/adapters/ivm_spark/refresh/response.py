"""The adapter's response for an ivm model, as dbt writes it into run_results.json."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.contracts.connection import AdapterResponse

from dbt.adapters.ivm_spark.refresh.refresher import Refresher


@dataclass
class IvmAdapterResponse(AdapterResponse):
    """The fields of DESIGN section 2.

    Attributes:
        refresh: number, start and seconds of the refresh, None if it has no commit.
        refresh_kind: the kind of the refresh.
        technique: how it changed the state.
        committed_by: `statement`, or `transaction` in place of it; None without a commit.
        reason: why it was full, None without a reason.
        rows_differed: rows of the view that a comparing rebuild wrote.
        rows_inserted: rows inserted into the state.
        rows_updated: rows updated in the state.
        rows_deleted: rows deleted from the state.
        sources: the versions and changed rows of each source, by quoted name.
        query_change: of a state that was kept or read although the model's SQL has changed: what
            changes, None for any other refresh.
        frozen: `where`, the condition of frozen rows, and `changes`, how many of them would have
            changed, which is None if it was not counted. None without frozen rows.
        parts: of a build in parts: `by`, the column, `parts`, how many there are, and
            `built_before`, how many of them an earlier run built. None for any other refresh.
        altered: the steps of ALTER TABLE, in words.
        published: how the table that the model publishes was written: `way` (changes, overwrite or
            create), `reason` if not by changes, and `state_version`, whose rows it has. None if it
            was not written.
        estimated_seconds: the seconds that each way was estimated to take, None if not known.
        seconds: the seconds of each phase.
    """

    refresh: dict[str, Any] | None = None
    refresh_kind: str = ""
    technique: str = ""
    committed_by: str | None = None
    reason: dict[str, str] | None = None
    rows_differed: int | None = None
    rows_inserted: int = 0
    rows_updated: int = 0
    rows_deleted: int = 0
    sources: dict[str, dict[str, int]] = field(default_factory=dict)
    query_change: dict[str, str] | None = None
    frozen: dict[str, Any] | None = None
    parts: dict[str, Any] | None = None
    altered: list[str] = field(default_factory=list)
    published: dict[str, Any] | None = None
    estimated_seconds: dict[str, float] | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, refresher: Refresher) -> IvmAdapterResponse:
        """Return the response of a refresh that is done."""
        fields: dict[str, Any] = refresher.response()
        return cls(code="OK", **fields)
