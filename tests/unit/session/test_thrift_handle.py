"""A statement through Thrift is sent once, waited for briefly, and its values are exact."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from dbt.adapters.spark.connections import PyhiveConnectionWrapper
from dbt_common.exceptions import DbtDatabaseError
from TCLIService.ttypes import TOperationState as ThriftState

from dbt.adapters.ivm_spark.session import thrift_handle
from dbt.adapters.ivm_spark.session.thrift_handle import ThriftHandle

RUNNING, FINISHED = ThriftState.RUNNING_STATE, ThriftState.FINISHED_STATE


class Cursor:
    """Of PyHive: each poll gives the next answer, or raises it; the last one stays."""

    def __init__(self, *answers: Any) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.cancelled = False
        self._answers = list(answers)

    def cursor(self) -> Cursor:
        return self

    def execute(self, sql: str, parameters: Any = None, async_: bool = False) -> None:
        assert async_
        self.sent.append((sql, parameters))

    def poll(self) -> SimpleNamespace:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        said = "[DIVIDE_BY_ZERO] x" if answer == ThriftState.ERROR_STATE else None
        return SimpleNamespace(operationState=answer, errorMessage=said)

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    clock = iter(range(1000))
    monkeypatch.setattr(thrift_handle.time, "sleep", found.append)
    monkeypatch.setattr(thrift_handle.time, "monotonic", lambda: float(next(clock)))
    return found


def handle(cursor: Cursor, **options: Any) -> ThriftHandle:
    made = ThriftHandle(PyhiveConnectionWrapper(cursor, **options))  # type: ignore[arg-type]
    return made.cursor()  # type: ignore[return-value]


def test_the_pauses_are_a_tenth_of_what_a_statement_takes(pauses: list[float]) -> None:
    handle(Cursor(RUNNING, RUNNING, RUNNING, FINISHED)).execute("select 1")
    assert pauses == pytest.approx([0.1, 0.2, 0.3])


def test_a_pause_is_never_longer_than_the_profile_says(pauses: list[float]) -> None:
    handle(Cursor(*[RUNNING] * 30, FINISHED), poll_interval=2).execute("select 1")
    assert max(pauses) == 2


def test_values_of_a_seed_lose_nothing() -> None:
    cursor = Cursor(FINISHED)
    exact = Decimal("12345678901234567.89")
    handle(cursor).execute("insert into t values (%s, %s, %s);", [exact, None, "it's"])
    assert cursor.sent == [("insert into t values (12345678901234567.89, NULL, 'it\\'s')", None)]


def test_what_spark_says_is_the_error() -> None:
    with pytest.raises(DbtDatabaseError, match="DIVIDE_BY_ZERO"):
        handle(Cursor(RUNNING, ThriftState.ERROR_STATE), poll_interval=0).execute("select 1/0")


def test_a_statement_that_was_cancelled_is_no_success() -> None:
    with pytest.raises(DbtDatabaseError, match="CANCELED_STATE"):
        handle(Cursor(ThriftState.CANCELED_STATE)).execute("select 1")


def test_a_lost_connection_is_asked_again_but_the_statement_is_sent_once(
    pauses: list[float],
) -> None:
    cursor = Cursor(ConnectionResetError(), FINISHED)
    handle(cursor).execute("merge into t")
    assert len(cursor.sent) == 1


def test_a_connection_that_stays_lost(pauses: list[float]) -> None:
    cursor = Cursor(BrokenPipeError())
    with pytest.raises(BrokenPipeError):
        handle(cursor, query_retries=2).execute("merge into t")
    assert (len(cursor.sent), len(pauses)) == (1, 2)


def test_a_statement_that_takes_too_long_is_cancelled(pauses: list[float]) -> None:
    cursor = Cursor(RUNNING)
    with pytest.raises(DbtDatabaseError, match="longer than query_timeout: 3 s"):
        handle(cursor, query_timeout=3).execute("select 1")
    assert cursor.cancelled
