"""The outcome of a refresh's commit, and the response to dbt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.plan import Plan, RefreshKind
from dbt.adapters.ivm_spark.plan.refusals import rejection
from dbt.adapters.ivm_spark.state.change import OVERFLOW
from dbt.adapters.ivm_spark.state.rewrite import BY_TRANSACTION

_LOST_RACE = (
    "DELTA_CONCURRENT",
    "DELTA_METADATA_CHANGED",
    "DELTA_PROTOCOL_CHANGED",
    "ConcurrentTransactionException",
    "ConcurrentAppendException",
    "ConcurrentModificationException",
)
_DATA_EXCEPTION = "SQLSTATE: 22"
_RAISED = "USER_RAISED_EXCEPTION"
"""What the user's own `raise_error` and `assert_true` say."""
_BROKEN = (
    ("DELTA_MISSING_CHANGE_DATA", ReasonCode.CDF_UNAVAILABLE),
    ("DELTA_CHANGE_TABLE_FEED_DISABLED", ReasonCode.CDF_UNAVAILABLE),
    ("DELTA_CHANGELOG_REQUIRES_ROW_TRACKING", ReasonCode.CDF_UNAVAILABLE),
    ("UNSUPPORTED_FEATURE.CHANGE_DATA_CAPTURE", ReasonCode.CDF_UNAVAILABLE),
    ("DELTA_CHANGE_DATA_FEED_INCOMPATIBLE", ReasonCode.DATA_SCHEMA_CHANGED),
    ("DELTA_CHANGE_DATA_FILE_NOT_FOUND", ReasonCode.CHANGE_SET_MISSING),
    ("FAILED_READ_FILE.FILE_NOT_EXIST", ReasonCode.CHANGE_SET_MISSING),
    ("DELTA_EMPTY_DIRECTORY", ReasonCode.CHANGE_SET_MISSING),
    ("DELTA_TRUNCATED_TRANSACTION_LOG", ReasonCode.CHANGE_SET_MISSING),
    ("DELTA_LOG_FILE_NOT_FOUND", ReasonCode.CHANGE_SET_MISSING),
    ("DELTA_VERSION_NOT_CONTIGUOUS", ReasonCode.CHANGE_SET_MISSING),
    ("DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND", ReasonCode.CHANGE_SET_MISSING),
    # The change of a sum may overflow although the whole sum does not. A sum that overflows as a
    # whole fails in the rebuild too, or is NULL. The last of these four: Delta's own MERGE fails on
    # some columns of nested or fixed-length types.
    (OVERFLOW, ReasonCode.OPERATOR_NOT_SUPPORTED),
    ("ARITHMETIC_OVERFLOW", ReasonCode.OPERATOR_NOT_SUPPORTED),
    ("NUMERIC_VALUE_OUT_OF_RANGE", ReasonCode.OPERATOR_NOT_SUPPORTED),
    ("DELTA_MERGE_RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT", ReasonCode.OPERATOR_NOT_SUPPORTED),
    # A data exception (a cast, a division). Its row may be in the change, once with +1 and once
    # with -1, and no longer in the source. If the source still has it, the rebuild fails as well.
    (_DATA_EXCEPTION, ReasonCode.CHANGE_NOT_COMPUTED),
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a refresh's commit.

    Attributes:
        done: the state is at the plan's versions.
        lost: another run was first, so plan again.
        broken: the changes could not be read or computed, so rebuild for that reason.
        inserted: rows inserted into the state.
        updated: rows updated in the state.
        deleted: rows deleted from the state.
        seconds: the time from the start of the refresh to the end of its commit.
        whole: the difference could not be written, so replace the table.
        written: there is a commit.
        differed: rows of the view that a comparing rebuild wrote, None if the rebuild replaced the
            table.
        rows: rows of the state after the refresh.
        by_transaction: a transaction of the adapter's own took the place of the statement.
        frozen: changes that would have been made to frozen rows, None if they were not counted.
    """

    done: bool
    lost: bool = False
    broken: Reason | None = None
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    seconds: float = 0.0
    whole: bool = False
    written: bool = True
    differed: int | None = None
    rows: int = 0
    by_transaction: bool = False
    frozen: int | None = None

    @property
    def moves(self) -> bool:
        """Return whether rows of the state have changed."""
        return bool(self.inserted or self.updated or self.deleted)


def outcome_of_error(message: str, kind: RefreshKind, reconstructed: bool) -> Outcome | None:
    """Return the outcome of a refresh whose statement failed, None if the error is the user's.

    An error is the user's if a rebuild from the query's own text fails, or if the error is not one
    of Spark's. `reconstructed` is whether the statement was made from the query's tree.
    """
    if is_lost_race(message):
        return Outcome(False, lost=True)
    if kind is RefreshKind.INCREMENTAL:
        for sign, code in _BROKEN:
            if sign in message:
                return Outcome(False, broken=Reason(code, message.splitlines()[0]))
    rejected = rejection(message) if reconstructed else None
    if rejected is None and reconstructed and _DATA_EXCEPTION in message:
        # The query's own text may compute in another order, so it decides whose error this is.
        rejected = Reason(ReasonCode.GENERATED_SQL_REJECTED, message.splitlines()[0])
    return None if rejected is None else Outcome(False, broken=rejected)


def is_lost_race(message: str) -> bool:
    """Return whether a statement failed because another commit came first."""
    return any(sign in message for sign in _LOST_RACE)


def is_of_versions(message: str) -> bool:
    """Return whether a statement failed because of what its sources had at their versions.

    They may not be readable any more, or a row may not be computable. The newest versions may have
    neither fault.
    """
    return _RAISED in message or any(sign in message for sign, _ in _BROKEN)


def commit_settings(metadata: str, app_id: str, number: int) -> dict[str, str]:
    """Return the session settings under which a statement commits.

    They put the metadata into the commit. With an id and a rising number, Delta skips a repeat.

    Source: Delta's documentation, "Idempotent table writes in foreachBatch" and "Set user-defined
    commit metadata".
    """
    return {
        "spark.databricks.delta.commitInfo.userMetadata": metadata,
        "spark.databricks.delta.write.txnAppId": app_id,
        "spark.databricks.delta.write.txnVersion": str(number),
    }


def merged(row: Mapping[str, Any]) -> Outcome:
    """Return the outcome from the row that MERGE returns."""
    return Outcome(
        True,
        inserted=int(row["num_inserted_rows"]),
        updated=int(row["num_updated_rows"]),
        deleted=int(row["num_deleted_rows"]),
        by_transaction=BY_TRANSACTION in row,
    )


def message(plan: Plan, outcome: Outcome) -> str:
    """Return the text in brackets on dbt's console, without the seconds that dbt adds itself."""
    if plan.kind is RefreshKind.NONE:
        return "NO CHANGES, ALTERED" if plan.alteration.steps else "NO CHANGES"
    if plan.kind is RefreshKind.INCREMENTAL:
        counts = f"INCREMENTAL +{outcome.inserted} ~{outcome.updated} -{outcome.deleted}"
        if outcome.frozen:
            counts = f"{counts}, {outcome.frozen} FROZEN"
        return counts if plan.query_change is None else f"{counts}, SQL CHANGED"
    because = f": {plan.reason.code.value}" if plan.reason is not None else ""
    if outcome.differed is not None:
        return f"FULL, {outcome.differed:,} of {outcome.rows:,} rows differed{because}"
    found, source = plan.findings, ""
    if found is not None and found.taken is not None:
        source = f" taken over from {found.taken.name}"
    elif plan.query_change is not None:
        source = " from the former state"
    return f"{plan.kind.value.upper()} {outcome.inserted} rows{source}{because}"


def response(plan: Plan, outcome: Outcome, phases: Mapping[str, float]) -> dict[str, Any]:
    """Return the fields of adapter_response in run_results.json (DESIGN section 2).

    `phases` holds the seconds of each phase.
    """
    return {
        "_message": message(plan, outcome),
        "refresh": None
        if plan.kind is RefreshKind.NONE or not outcome.written
        else {
            "number": plan.watermark.refresh,
            "started_at": plan.watermark.stats.started_at,
            "seconds": round(outcome.seconds, 3),
        },
        "refresh_kind": plan.kind.value,
        "technique": plan.technique.value,
        "committed_by": _committed_by(plan, outcome),
        "reason": plan.reason.facts if plan.reason is not None else None,
        "query_change": plan.query_change,
        "frozen": frozen(plan, outcome),
        "altered": plan.alteration.steps,
        "rows_differed": outcome.differed,
        "rows_inserted": outcome.inserted,
        "rows_updated": outcome.updated,
        "rows_deleted": outcome.deleted,
        "rows_affected": outcome.inserted + outcome.updated + outcome.deleted,
        "sources": {
            name: {
                "from": w.recorded,
                "to": w.pinned,
                "changed_rows": w.rows,
                "net_change": w.moved and name not in plan.no_ops,
                "by_foreign_key": name in plan.trusted,
            }
            for name, w in plan.ranges.items()
        },
        "estimated_seconds": None
        if plan.estimates is None
        else {way: round(seconds, 3) for way, seconds in asdict(plan.estimates).items()},
        "seconds": {phase: round(seconds, 3) for phase, seconds in phases.items()},
    }


def frozen(plan: Plan, outcome: Outcome) -> dict[str, Any] | None:
    """Return which rows are frozen and how many of their changes were not applied, if any are."""
    where = plan.watermark.frozen
    return {"where": where, "changes": outcome.frozen} if where else None


def _committed_by(plan: Plan, outcome: Outcome) -> str | None:
    """Return what changed the state: a statement, or a transaction in place of it."""
    if plan.kind is RefreshKind.NONE or not outcome.written:
        return None
    return "transaction" if outcome.by_transaction else "statement"
