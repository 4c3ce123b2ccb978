"""A statement of ours that Spark does not analyze, although it takes the user's own text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.session.condition import is_rejection
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, Reason, ReasonCode

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
