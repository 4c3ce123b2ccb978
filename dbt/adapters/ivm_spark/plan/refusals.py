"""What ends a run before it changes anything, and statements of ours that Spark rejects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.session.condition import is_rejection


class RefusedError(Exception):
    """The model can't be refreshed as it is configured or written; the message says what to do."""


def refused(reason: Reason) -> str:
    """Why `incremental_strict` ends the run, and what to do."""
    return (
        f"refresh_policy is incremental_strict, and a full refresh would be needed. {reason} "
        f"{reason.code.remedy} Or run with --full-refresh, or set refresh_policy: auto."
    )


_DETAIL = 500


def rejection(message: str) -> Reason | None:
    """The reason that such an error's message gives, None for an error of another kind."""
    if not is_rejection(message):
        return None
    return Reason(ReasonCode.GENERATED_SQL_REJECTED, " ".join(message.split())[:_DETAIL])


@contextmanager
def own_statements() -> Iterator[None]:
    """Around statements that were made from a query which Spark takes.

    Raises NotMaintained (GENERATED_SQL_REJECTED) where Spark does not analyze one; any other error
    passes through.
    """
    try:
        yield
    except DbtDatabaseError as error:
        reason = rejection(str(error.msg))
        if reason is None:
            raise
        raise NotMaintained(reason.code, reason.detail) from error
