"""Errors that end a run before it changes anything, and Spark's rejections of generated SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.session.condition import is_rejection


class RefusedError(Exception):
    """The model can't be refreshed as configured or written; the message says what to do."""


def refused(reason: Reason) -> str:
    """Return why `incremental_strict` ends the run, and what to do."""
    return (
        f"refresh_policy is incremental_strict, but this refresh must be full. {reason} "
        f"{reason.code.remedy} Or run with --full-refresh, or set refresh_policy: auto."
    )


_DETAIL = 500


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
