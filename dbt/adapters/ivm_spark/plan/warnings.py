"""The warnings of a run, and the refusals by its policy."""

from __future__ import annotations

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.config import IvmConfig, RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.plan.refusals import RefusedError, refused
from dbt.adapters.ivm_spark.state.layout import Layout


def warnings(
    config: IvmConfig, decision: Decision, unsupported_reason: Reason | None, layout: Layout | None
) -> list[str]:
    """Return the warnings of a decision, with empty ones among them.

    `unsupported_reason` is why the query itself can't be maintained. Raises RefusedError for what
    the policy `incremental_strict` forbids.
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
