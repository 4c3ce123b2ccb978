"""One commit of a table, in the words of Delta's DESCRIBE HISTORY."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from dbt.adapters.ivm_spark.source.map_text import map_of

FEED = "delta.enableChangeDataFeed"
TRACKING = "delta.enableRowTracking"

_NEUTRAL = frozenset(
    {
        "ADD COLUMNS",
        "ADD CONSTRAINT",
        "ADD FEATURE",
        "CHANGE COLUMN",
        "CLUSTER BY",
        "COMPUTE STATS",
        "CREATE TABLE",
        "DOMAIN METADATA CLEANUP",
        "DROP COLUMNS",
        "DROP CONSTRAINT",
        "DROP FEATURE",
        "FSCK",
        "OPTIMIZE",
        "RENAME COLUMN",
        "REORG",
        "ROW TRACKING BACKFILL",
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "UPGRADE PROTOCOL",
        "VACUUM END",
        "VACUUM START",
    }
)
_MERGED = ("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")
_ROW_METRICS = {"MERGE": _MERGED, "UPDATE": ("numUpdatedRows",), "DELETE": ("numDeletedRows",)}
_COLUMNS = frozenset(
    {"ADD COLUMNS", "CHANGE COLUMN", "DROP COLUMNS", "RENAME COLUMN", "REPLACE COLUMNS"}
)


class Effect(str, Enum):
    """The effect of a commit on the rows of its table."""

    NOTHING = "nothing"
    INSERTS = "inserts"
    DELETES = "deletes"
    GENERAL = "general"


@dataclass(frozen=True)
class Commit:
    """One commit of a table.

    Attributes:
        version: the version that the commit created.
        operation: the operation, in Delta's words.
        parameters: the operation's parameters, as text.
        metrics: the operation's metrics, as text.
        metadata: the commit's user metadata, where a refresh stores its watermark.
        committed: when it was committed, in milliseconds, or as the connection writes it.
        readable: the parameters could be read; otherwise the worst is assumed.
        unreadable: why the commit's changed rows can't be read, empty if they can.
    """

    version: int
    operation: str
    parameters: Mapping[str, str]
    metrics: Mapping[str, str]
    metadata: str | None = None
    committed: str = ""
    readable: bool = True
    unreadable: str = ""

    @property
    def effect(self) -> Effect:
        """Return the effect by operation and metrics, GENERAL unless a narrower one is certain."""
        operation = self.operation.upper()
        if operation in _NEUTRAL:
            return Effect.NOTHING
        if operation in ("WRITE", "STREAMING UPDATE"):
            mode = self.parameters.get("mode") or self.parameters.get("outputMode") or ""
            return Effect.INSERTS if mode.lower() == "append" else Effect.GENERAL
        if operation == "DELETE":
            return Effect.DELETES
        if operation == "MERGE":
            inserted, updated, deleted = self._merged
            if None in (inserted, updated, deleted) or updated or (inserted and deleted):
                return Effect.GENERAL
            if not inserted and not deleted:
                return Effect.NOTHING
            return Effect.INSERTS if inserted else Effect.DELETES
        return Effect.GENERAL

    @property
    def updates(self) -> bool:
        """Return whether rows were certainly only updated: none inserted and none deleted."""
        operation = self.operation.upper()
        inserted, _, deleted = self._merged
        return operation == "UPDATE" or (operation == "MERGE" and inserted == deleted == 0)

    @property
    def rows(self) -> int:
        """Return how many rows changed, as far as the metrics tell; an update counts once."""
        names = _ROW_METRICS.get(self.operation.upper(), ("numOutputRows",))
        return sum(self._metric(name) or 0 for name in names)

    @property
    def written(self) -> tuple[int, int, int]:
        """Return the numbers of rows inserted, updated and deleted, as far as the metrics tell."""
        if self.operation.upper() != "MERGE":
            return self._metric("numOutputRows") or 0, 0, 0
        inserted, updated, deleted = self._merged
        return inserted or 0, updated or 0, deleted or 0

    @property
    def gained(self) -> int:
        """Return the net rows that a MERGE inserted, or the rows that any other commit wrote."""
        inserted, _, deleted = self.written
        return inserted - deleted

    @property
    def net_rows(self) -> int | None:
        """Return how many rows the table gained by this commit, None if that is not certain.

        The number is negative if the table lost rows.
        """
        operation = self.operation.upper()
        if self.effect is Effect.NOTHING or operation == "UPDATE":
            return 0
        if operation == "MERGE":
            inserted, _, deleted = self._merged
            return None if inserted is None or deleted is None else inserted - deleted
        if operation == "DELETE":
            deleted = self._metric("numDeletedRows")
            return None if deleted is None else -deleted
        return self._metric("numOutputRows") if self.effect is Effect.INSERTS else None

    def reshapes(self, used: Set[str] | None, mapped: bool) -> bool:
        """Return whether a column of `used` may hold other data under the same name and type.

        Every other change of a column shows in its name or type.

        Args:
            used: names of columns, None for all columns, including later ones.
            mapped: the table tells columns apart by ids, not names, so they can be renamed and
                dropped.
        """
        operation = self.operation.upper()
        if operation == "REPLACE COLUMNS" or (mapped and (operation == "RESTORE" or self.replaces)):
            return True  # the feed may read old files under the new names
        if used is None or not self.readable:
            return operation in _COLUMNS
        touched = {path.lower() for path in self._columns()}
        return bool(touched & {name.lower() for name in used})

    def _columns(self) -> list[str]:
        """Return the columns that are renamed or dropped, by their old and new names."""
        if self.operation.upper() == "RENAME COLUMN":
            return [_column(self.parameters.get(f"{age}ColumnPath", "")) for age in ("old", "new")]
        if self.operation.upper() == "DROP COLUMNS":
            return [_column(path) for path in json.loads(self.parameters.get("columns") or "[]")]
        return []

    @property
    def replaces(self) -> bool:
        """Return whether the commit is a CREATE OR REPLACE or the like."""
        return "REPLACE" in self.operation.upper() or self.operation.upper() == "CLONE"

    @property
    def overwrites(self) -> bool:
        """Return whether the commit is an INSERT OVERWRITE or the like."""
        mode = self.parameters.get("mode") or ""
        return self.operation.upper() == "WRITE" and mode.lower() == "overwrite"

    def sets(self, key: str) -> bool | None:
        """Return the commit's value for a boolean property of the table, None if it sets none."""
        if not self.readable:
            return False
        properties = json.loads(self.parameters.get("properties") or "{}")
        if isinstance(properties, list):
            return False if key in properties else None
        value = properties.get(key)
        return None if value is None else str(value).lower() == "true"

    @property
    def _merged(self) -> tuple[int | None, int | None, int | None]:
        """Return the numbers of rows that a MERGE inserted, updated and deleted."""
        inserted, updated, deleted = (self._metric(name) for name in _MERGED)
        return inserted, updated, deleted

    def _metric(self, name: str) -> int | None:
        value = self.metrics.get(name)
        return None if value is None else int(value)


def commit_from(row: Mapping[str, Any]) -> Commit:
    """Return the commit that a row of DESCRIBE HISTORY describes."""
    parameters = _mapping(row.get("operationParameters"))
    return Commit(
        version=int(row["version"]),
        operation=str(row["operation"]),
        parameters=parameters or {},
        readable=parameters is not None,
        metrics=_mapping(row.get("operationMetrics")) or {},
        metadata=row.get("userMetadata"),
        committed=_instant(row.get("timestamp")),
    )


def _column(path: str) -> str:
    """Return the column from the path of one of its fields.

    Parts of the path that contain a dot are between backticks.
    """
    if not path.startswith("`"):
        return path.split(".")[0]
    found = re.match(r"`((?:[^`]|``)*)`", path)
    return found.group(1).replace("``", "`") if found else path


def _instant(value: Any) -> str:
    """Return a point in time as text.

    If the connection gives a datetime, the text is the same under every time zone.
    """
    if isinstance(value, datetime):
        return str(round(value.timestamp() * 1000))
    return str(value or "")


def _mapping(value: Any) -> dict[str, str] | None:
    """Return a map column as a dict, None if it can't be read.

    A Spark session gives a mapping, Thrift gives a text.
    """
    if isinstance(value, str):
        return map_of(value)
    return {str(k): str(v) for k, v in dict(value or {}).items() if v is not None}
