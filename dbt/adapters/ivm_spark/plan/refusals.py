"""The refusals and warnings of a run, and Spark's rejections of generated SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dbt_common.exceptions import DbtDatabaseError
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.config import IvmConfig, RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.session.condition import is_rejection
from dbt.adapters.ivm_spark.state.layout import Layout

_DETAIL = 500
"""Characters of Spark's message that a reason keeps."""
_DEFECTS = (LookupError, ValueError, TypeError, AttributeError, AssertionError, SqlglotError)


class RefusedError(Exception):
    """The model can't be refreshed as configured or written; the message says what to do."""


def refused(reason: Reason) -> str:
    """Return why `incremental_strict` ends the run, and what to do."""
    return (
        f"refresh_policy is incremental_strict, but this refresh must be full. {reason} "
        f"{reason.code.remedy} Or run with --full-refresh, or set refresh_policy: auto."
    )


def rejection(message: str) -> Reason | None:
    """Return the reason if a message is Spark's rejection of a statement, else None."""
    if not is_rejection(message):
        return None
    return Reason(ReasonCode.GENERATED_SQL_REJECTED, " ".join(message.split())[:_DETAIL])


@contextmanager
def own_statements() -> Iterator[None]:
    """Run statements that were generated from a query which Spark accepts.

    Raises NotMaintained (GENERATED_SQL_REJECTED) if Spark does not analyze one. Any other error
    passes through.
    """
    try:
        yield
    except DbtDatabaseError as error:
        reason = rejection(str(error.msg))
        if reason is None:
            raise
        raise NotMaintained(reason.code, reason.detail) from error


@contextmanager
def own_defects() -> Iterator[None]:
    """Read and derive with rules of this package.

    Raises NotMaintained (INTERNAL_ERROR) for an error that only a defect of theirs can raise.
    """
    try:
        yield
    except _DEFECTS as error:
        raise NotMaintained(ReasonCode.INTERNAL_ERROR, repr(error)) from error


def warnings(
    config: IvmConfig, decision: Decision, unsupported_reason: Reason | None, layout: Layout | None
) -> list[str]:
    """Return the warnings of a decision, with empty ones among them.

    `unsupported_reason` is why the query itself can't be maintained. Raises RefusedError if the
    policy `incremental_strict` forbids the decision.
    """
    return [_in_full(config, decision, unsupported_reason), _not_appended(config, decision, layout)]


def _not_appended(config: IvmConfig, decision: Decision, layout: Layout | None) -> str:
    if not decision.build or not config.table.appends or layout is None or layout.appended:
        return ""
    return (
        "state_writes is append, but not all of the view's values are counts and sums. Refreshes "
        "use MERGE instead."
    )


def _in_full(config: IvmConfig, decision: Decision, unsupported_reason: Reason | None) -> str:
    reason = decision.reason or unsupported_reason
    if reason is None or reason.code is ReasonCode.FULL_REFRESH_REQUESTED:
        return ""
    if config.refresh_policy is RefreshPolicy.INCREMENTAL_STRICT:
        raise RefusedError(refused(reason))
    told = reason.code.is_defect or config.refresh_policy is RefreshPolicy.INCREMENTAL
    return in_full(reason) if told and decision.build else ""


def in_full(reason: Reason) -> str:
    """Return the warning for a view that is rebuilt although it should not be."""
    return f"refreshed in full. {reason} {reason.code.remedy}"
