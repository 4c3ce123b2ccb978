"""A dbt connection through Thrift, over PyHive."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from dbt.adapters.spark.connections import CONNECTION_LOST_EXCEPTIONS, PyhiveConnectionWrapper
from dbt_common.exceptions import DbtDatabaseError
from TCLIService.ttypes import TOperationState  # type: ignore[import-untyped]

from dbt.adapters.ivm_spark.session.activity import note_statement
from dbt.adapters.ivm_spark.session.literals import as_sent

_LOST: tuple[type[Exception], ...] = CONNECTION_LOST_EXCEPTIONS
_FIRST_PAUSE = 0.02
_PAUSE = 0.1
"""The longest pause before the next poll, as a fraction of the statement's time so far."""


class ThriftHandle(PyhiveConnectionWrapper):
    """dbt-spark's connection with its options, and with three differences.

    1. It waits for a statement in short pauses first; `poll_interval` is the longest pause.
       dbt-spark waits that long (5 s) each time.
    2. It sends the values of seeds as literals that lose nothing. dbt-spark sends numbers as
       doubles.
    3. If the connection is lost, it asks again whether the statement has ended (`query_retries`
       times). It never sends the statement again: the statement may have done its work.
    """

    def __init__(self, opened: PyhiveConnectionWrapper) -> None:
        super().__init__(
            opened.handle, opened.poll_interval, opened.query_timeout, opened.query_retries
        )

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        """Send one statement and wait for its end.

        Raises DbtDatabaseError, or the transport's error if the connection is lost.
        """
        assert self._cursor is not None
        sql = as_sent(sql, bindings)
        note_statement(sql)
        self._cursor.execute(sql, async_=True)
        ended = self._ended()
        if ended.errorMessage:
            raise DbtDatabaseError(ended.errorMessage)
        if ended.operationState != TOperationState.FINISHED_STATE:
            name = TOperationState._VALUES_TO_NAMES.get(ended.operationState, ended.operationState)
            raise DbtDatabaseError(f"The statement did not finish: {name}")

    def _ended(self) -> Any:
        """Return the status of the statement once it no longer runs."""
        pending = (
            TOperationState.INITIALIZED_STATE,
            TOperationState.PENDING_STATE,
            TOperationState.RUNNING_STATE,
        )
        started = time.monotonic()
        status = self._status()
        while status.operationState in pending:
            taken = time.monotonic() - started
            if self.query_timeout is not None and taken > self.query_timeout:
                self.cancel()
                raise DbtDatabaseError(
                    f"The statement ran longer than query_timeout: {self.query_timeout} s"
                )
            time.sleep(min(self.poll_interval, max(_FIRST_PAUSE, _PAUSE * taken)))
            status = self._status()
        return status

    def _status(self) -> Any:
        assert self._cursor is not None
        for _ in range(self.query_retries):
            try:
                return self._cursor.poll()
            except _LOST:
                time.sleep(min(self.poll_interval, 1))
        return self._cursor.poll()
