"""What ends a run before it changes anything."""

from __future__ import annotations

from dbt.adapters.ivm_spark.view.reasons import Reason


class RefusedError(Exception):
    """The model can't be refreshed as it is configured or written; the message says what to do."""


def refused(reason: Reason) -> str:
    """Why `incremental_strict` ends the run, and what to do."""
    return (
        f"refresh_policy is incremental_strict, and a full refresh would be needed. {reason} "
        f"{reason.code.remedy} Or run with --full-refresh, or set refresh_policy: auto."
    )
