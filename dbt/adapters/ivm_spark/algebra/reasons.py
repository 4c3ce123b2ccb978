"""The reasons for a full refresh: a code, one sentence, and what the user can do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ReasonCode(str, Enum):
    """Reason codes of a full refresh (DESIGN section 6). Users search for the value."""

    EXPRESSION_NOT_DETERMINISTIC = "EXPRESSION_NOT_DETERMINISTIC"
    OPERATOR_NOT_SUPPORTED = "OPERATOR_NOT_SUPPORTED"
    WINDOW_WITHOUT_PARTITION_BY = "WINDOW_WITHOUT_PARTITION_BY"
    MAP_TYPE_NOT_SUPPORTED = "MAP_TYPE_NOT_SUPPORTED"
    INPUT_NOT_IN_DELTA = "INPUT_NOT_IN_DELTA"
    CDF_UNAVAILABLE = "CDF_UNAVAILABLE"
    CHANGE_SET_MISSING = "CHANGE_SET_MISSING"
    CHANGE_NOT_COMPUTED = "CHANGE_NOT_COMPUTED"
    DATA_SCHEMA_CHANGED = "DATA_SCHEMA_CHANGED"
    SOURCE_REPLACED = "SOURCE_REPLACED"
    FILES_CHANGED = "FILES_CHANGED"
    QUERY_FINGERPRINT_CHANGED = "QUERY_FINGERPRINT_CHANGED"
    CONFIGURATION_CHANGED = "CONFIGURATION_CHANGED"
    CLOCK_MOVED = "CLOCK_MOVED"
    COST_MODEL = "COST_MODEL"
    FULL_REFRESH_REQUESTED = "FULL_REFRESH_REQUESTED"
    STATE_MISSING = "STATE_MISSING"
    STATE_MODIFIED = "STATE_MODIFIED"
    STATE_FORMAT_CHANGED = "STATE_FORMAT_CHANGED"
    QUERY_NOT_UNDERSTOOD = "QUERY_NOT_UNDERSTOOD"
    GENERATED_SQL_REJECTED = "GENERATED_SQL_REJECTED"
    VIEW_SETTINGS_DIFFER = "VIEW_SETTINGS_DIFFER"
    INTERNAL_ERROR = "INTERNAL_ERROR"

    @property
    def is_defect(self) -> bool:
        """Return whether the reason is a defect of this package, which the user should report."""
        return self in (ReasonCode.GENERATED_SQL_REJECTED, ReasonCode.INTERNAL_ERROR)

    @property
    def sentence(self) -> str:
        """Return what happened, in one sentence."""
        return _TEXTS[self][0]

    @property
    def remedy(self) -> str:
        """Return what the user can do about it, in one sentence."""
        return _TEXTS[self][1]


_TEXTS: dict[ReasonCode, tuple[str, str]] = {
    ReasonCode.EXPRESSION_NOT_DETERMINISTIC: (
        "The query's result depends on more than its sources' rows.",
        "Move the expression into a column that is written once, or accept the full refresh.",
    ),
    ReasonCode.OPERATOR_NOT_SUPPORTED: (
        "The query uses an operator that has no incremental rule yet.",
        "Rewrite that part of the query, or split the model in two.",
    ),
    ReasonCode.WINDOW_WITHOUT_PARTITION_BY: (
        "A window without PARTITION BY depends on every row of its input.",
        "Give the window a PARTITION BY.",
    ),
    ReasonCode.MAP_TYPE_NOT_SUPPORTED: (
        "Columns of type MAP can't be compared, so a refresh can't match rows.",
        "Select map_entries(column) or single keys of the map instead.",
    ),
    ReasonCode.INPUT_NOT_IN_DELTA: (
        "A source of the query is no Delta table, no Iceberg table with a snapshot of its newest "
        "columns, and no table of Parquet or ORC files.",
        "Store the source as a Delta table.",
    ),
    ReasonCode.CDF_UNAVAILABLE: (
        "A source has no change data feed for the versions since the last refresh.",
        "ALTER TABLE <source> SET TBLPROPERTIES (delta.enableChangeDataFeed = true); "
        "for a dbt table model set it under +tblproperties, so that a rebuild keeps it. On Spark "
        "4.2 with Delta 4.4, delta.enableRowTracking does as well.",
    ),
    ReasonCode.CHANGE_SET_MISSING: (
        "The changes of a source since the last refresh can't be read, or no longer.",
        "Refresh more often than the source's log and file retention, or lengthen the retention. "
        "An Iceberg table needs copy-on-write.",
    ),
    ReasonCode.CHANGE_NOT_COMPUTED: (
        "The query fails on a changed row. The source may no longer have that row.",
        "Nothing: the view was rebuilt. If such rows are common, use try_cast or another try_* "
        "function.",
    ),
    ReasonCode.DATA_SCHEMA_CHANGED: (
        "A source column that the query uses has changed, or may have changed.",
        "Nothing: the view was rebuilt on the new columns.",
    ),
    ReasonCode.SOURCE_REPLACED: (
        "A source was dropped and created again.",
        "Nothing: the view was rebuilt. Prefer CREATE OR REPLACE, which keeps the history.",
    ),
    ReasonCode.FILES_CHANGED: (
        "The files of a source have changed. Files do not tell which of their rows have.",
        "Nothing: the view was rebuilt. Store the source as a Delta table to refresh the view by "
        "its changed rows.",
    ),
    ReasonCode.QUERY_FINGERPRINT_CHANGED: (
        "The model's query, a view that it reads, or a session setting that changes its result "
        "has changed.",
        "Nothing: the view was rebuilt on the new query.",
    ),
    ReasonCode.CONFIGURATION_CHANGED: (
        "The model's configuration has changed.",
        "Nothing: the view was rebuilt with the new configuration.",
    ),
    ReasonCode.CLOCK_MOVED: (
        "The query shows the current time, and the time has moved.",
        "Compare columns with the current time in WHERE, or in a CASE, instead of computing with "
        "it. Use current_date() in place of current_timestamp() if a day is exact enough.",
    ),
    ReasonCode.COST_MODEL: (
        "A rebuild is estimated to be cheaper than an incremental refresh.",
        "Set refresh_policy: incremental to refresh incrementally anyway.",
    ),
    ReasonCode.FULL_REFRESH_REQUESTED: (
        "The user asked for a full refresh.",
        "Run without --full-refresh, or with another refresh_policy.",
    ),
    ReasonCode.STATE_MISSING: (
        "The view's state table or its watermark does not exist.",
        "Nothing: the view was rebuilt.",
    ),
    ReasonCode.STATE_MODIFIED: (
        "Something other than dbt-ivm-spark wrote to the view's state table.",
        "Do not write to tables whose names end in __ivm. The view was rebuilt.",
    ),
    ReasonCode.STATE_FORMAT_CHANGED: (
        "Another version of dbt-ivm-spark wrote the view's state, in a format that this version "
        "does not read.",
        "Nothing: the view was rebuilt. Refresh a model with only one version; otherwise each "
        "version rebuilds what the other wrote.",
    ),
    ReasonCode.QUERY_NOT_UNDERSTOOD: (
        "dbt-ivm-spark is not certain that it reads the query as Spark does.",
        "Simplify the query, and please report it: dbt-ivm-spark lacks a rule for it.",
    ),
    ReasonCode.GENERATED_SQL_REJECTED: (
        "Spark accepts the query but rejects a statement that dbt-ivm-spark generated from it.",
        "Nothing: the view was rebuilt from the query's own text. This is a defect of "
        "dbt-ivm-spark. Please report it with the query.",
    ),
    ReasonCode.VIEW_SETTINGS_DIFFER: (
        "The query reads a Spark view that was created under other session settings. Spark still "
        "applies those settings to the view.",
        "Recreate the view under this session's settings, or restore the settings.",
    ),
    ReasonCode.INTERNAL_ERROR: (
        "A rule of dbt-ivm-spark failed.",
        "Nothing: the view was rebuilt. This is a defect of dbt-ivm-spark. Please report it with "
        "the query.",
    ),
}


@dataclass(frozen=True)
class Reason:
    """A reason code and its cause in this view.

    Attributes:
        code: the reason code.
        detail: the table, function or clause that caused it; may be empty.
    """

    code: ReasonCode
    detail: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """Return the reason in a form that programs read."""
        return {
            "code": self.code.value,
            "sentence": self.code.sentence,
            "detail": self.detail,
            "remedy": self.code.remedy,
        }

    def __str__(self) -> str:
        return f"{self.code.value}: {self.code.sentence}" + (
            f" ({self.detail})" if self.detail else ""
        )


class NotMaintained(Exception):
    """Raised by the pure packages if a query, or a part of it, has no incremental rule."""

    def __init__(self, code: ReasonCode, detail: str = "") -> None:
        super().__init__(str(Reason(code, detail)))
        self.reason = Reason(code, detail)


def not_supported(what: str) -> NotMaintained:
    """Return the exception for a part of a query that has no incremental rule."""
    return NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, what)
