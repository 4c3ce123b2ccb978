"""Statements that end as they do when a process dies or a job fails, for the tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any
from unittest.mock import patch

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.session.connections import IvmSparkConnectionManager

Place = Callable[[int, str], bool]


class Fault(Enum):
    """What happens at the place."""

    DIED = "the statement ran, and of this model nothing runs any more, no clean-up either"
    LOST = "the statement ran, and its answer was lost; the model goes on as after an error"
    FAILED = "the statement did not run; the model goes on as after an error"


class Faults:
    """Counts the statements of each model of a run; `sent` has them by model."""

    def __init__(self, fault: Fault | None = None, places: Mapping[str, Place] | None = None):
        self.fault = fault
        self.places = dict(places or {})
        self.sent: dict[str, list[str]] = {}
        self.hit: dict[str, str] = {}

    def send(self, model: str, sql: str, run: Callable[[], Any]) -> Any:
        """Send a model's statement, or not."""
        if model in self.hit and self.fault is Fault.DIED:
            raise ConnectionError("no process")
        sent = self.sent.setdefault(model, [])
        sent.append(sql)
        here = model not in self.hit and model in self.places
        here = here and self.places[model](len(sent) - 1, sql)
        if here:
            self.hit[model] = sql
            if self.fault is Fault.FAILED:
                raise ConnectionError("the statement failed")
        answer = run()
        if here:
            raise ConnectionError("the answer was lost")
        return answer


_COMMIT = re.compile(r"(/\*.*?\*/)?\s*(merge into|insert|create or replace table)", re.DOTALL)


@contextmanager
def injected(faults: Faults) -> Iterator[Faults]:
    """Every statement that dbt sends for a model goes through the faults."""
    original = IvmSparkConnectionManager.add_query

    def add_query(self: Any, sql: str, *args: Any, **kwargs: Any) -> Any:
        def run() -> Any:
            return original(self, sql, *args, **kwargs)

        name = self.get_thread_connection().name or ""
        if not name.startswith("model."):
            return run()
        return faults.send(name.split(".")[-1], sql, run)

    with patch.object(IvmSparkConnectionManager, "add_query", add_query):
        yield faults


def after(number: int) -> Place:
    """At the statement of this number, from 0."""
    return lambda n, _: n == number


def at_commit(_: int, sql: str) -> bool:
    """At the statement that changes the state."""
    return _COMMIT.match(sql) is not None


def at_text(text: str) -> Place:
    """At the first statement with this text."""
    return lambda _, sql: text in sql


def part_of(name: str, number: int) -> Place:
    begins = "create or replace table" if number == 1 else "insert into"
    return lambda _, sql: begins in sql and f"{name}__ivm_parts`" in sql


def end_of(name: str) -> Place:
    """At the statement that copies the parts into the state, or builds it at once."""
    return lambda _, sql: "create or replace table" in sql and f"`{name}__ivm`" in sql


class Meddled(Faults):
    """Calls something before the first statement of a kind, or after it."""

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[str, tuple[Place, Callable[[], Any]]] = {}
        self.after: dict[str, tuple[Place, Callable[[], Any]]] = {}

    def send(self, model: str, sql: str, run: Callable[[], Any]) -> Any:
        self._call(self.before, model, sql)
        answer = super().send(model, sql, run)
        self._call(self.after, model, sql)
        return answer

    def _call(
        self, calls: dict[str, tuple[Place, Callable[[], Any]]], model: str, sql: str
    ) -> None:
        place, call = calls.get(model, (lambda *_: False, lambda: None))
        if place(len(self.sent.get(model, ())), sql):
            del calls[model]
            call()


def raising(message: str) -> Callable[[], None]:
    def call() -> None:
        raise DbtDatabaseError(message)

    return call
