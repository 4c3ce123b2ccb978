"""A row of `ivm_refreshes`, from the refresh's commit or from its adapter_response. Pure.

Both say the same, because both come from the one plan that was committed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.ivm_spark.commands.explain.readable import name_text
from dbt.adapters.ivm_spark.plan.plan import DETAIL, RefreshKind
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.watermark.watermark import Watermark, decode

COLUMNS = (
    ("model", "string", "unique_id of the model in dbt"),
    ("relation", "string", "schema and name of the view"),
    ("refresh", "bigint", "number of the refresh, as ivm_changes counts them"),
    ("started_at", "timestamp", "when the refresh began"),
    ("seconds", "double", "time from started_at to the end of the commit"),
    ("kind", "string", "initial, incremental or full"),
    ("technique", "string", "how the refresh changed the state"),
    ("reason", "string", "reason code of a full refresh"),
    ("detail", "string", "cause of the reason: a table, function or clause"),
    ("rows_inserted", "bigint", "rows of the state"),
    ("rows_updated", "bigint", "rows of the state"),
    ("rows_deleted", "bigint", "rows of the state"),
    ("changed_rows", "bigint", "changed rows of all sources, for an incremental refresh"),
    ("estimated_incremental", "double", "seconds, if they were estimated"),
    ("estimated_full", "double", "seconds, if they were estimated"),
    ("sources", "map<string, bigint>", "version of each source that the refresh read"),
)
"""Name, Spark type and meaning of the columns."""


@dataclass(frozen=True)
class Record:
    """A committed refresh; COLUMNS describes the fields.

    `source_rows` is not a column. It counts the rows of all sources, None if they are not known.
    """

    model: str
    relation: str
    refresh: int
    started_at: str
    seconds: float
    kind: str
    technique: str
    reason: str | None
    detail: str | None
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    changed_rows: int | None
    estimated_incremental: float | None
    estimated_full: float | None
    sources: Mapping[str, int]
    source_rows: int | None = field(default=None, compare=False)


def of_response(model: str, relation: str, response: Mapping[str, Any]) -> Record | None:
    """Return the record of a refresh from its adapter_response, None if it committed nothing.

    dbt leaves fields that are None out of adapter_response.
    """
    refresh = response.get("refresh")
    if not refresh:
        return None
    sources, kind = response["sources"], response["refresh_kind"]
    reason, thought = response.get("reason") or {}, response.get("estimated_seconds") or {}
    incremental = kind == RefreshKind.INCREMENTAL.value
    return Record(
        model=model,
        relation=relation,
        refresh=refresh["number"],
        started_at=refresh["started_at"],
        seconds=refresh["seconds"],
        kind=kind,
        technique=response["technique"],
        reason=reason.get("code"),
        detail=reason["detail"][:DETAIL] if reason else None,
        rows_inserted=response["rows_inserted"],
        rows_updated=response["rows_updated"],
        rows_deleted=response["rows_deleted"],
        changed_rows=sum(s["changed_rows"] for s in sources.values()) if incremental else None,
        estimated_incremental=thought.get("incremental"),
        estimated_full=thought.get("full"),
        sources={name_text(name): s["to"] for name, s in sources.items()},
    )


def of_commits(model: str, relation: str, commits: Sequence[Commit]) -> list[Record]:
    """Return the records of the refreshes in a state's commits.

    Commits by others have no record. Neither have commits from before refreshes recorded their
    kind.
    """
    found = []
    for commit in commits:
        watermark = decode(commit.metadata)
        if watermark is not None and watermark.story.kind:
            found.append(_of_commit(model, relation, commit, watermark))
    return found


def as_rows(records: Sequence[Record]) -> str:
    """Return the records as a JSON array for `from_json`, or an empty text."""
    names = [name for name, _, _ in COLUMNS]
    rows = [{name: getattr(record, name) for name in names} for record in records]
    return json.dumps(rows) if rows else ""


def _of_commit(model: str, relation: str, commit: Commit, watermark: Watermark) -> Record:
    story, stats = watermark.story, watermark.stats
    code, detail = story.reason or (None, None)
    thought = story.estimates or (None, None)
    inserted, updated, deleted = commit.written
    return Record(
        model=model,
        relation=relation,
        refresh=watermark.refresh,
        started_at=stats.started_at,
        seconds=round((int(commit.committed) - stats.started) / 1000, 3)
        if commit.committed.isdigit()
        else 0.0,
        kind=story.kind,
        technique=story.technique,
        reason=code,
        detail=detail,
        rows_inserted=inserted,
        rows_updated=updated,
        rows_deleted=deleted,
        changed_rows=None if stats.full else stats.work.changed,
        estimated_incremental=thought[0],
        estimated_full=thought[1],
        sources={name_text(name): source.version for name, source in watermark.sources.items()},
        source_rows=sum(source.rows for source in watermark.sources.values()),
    )
