"""Meters what this process's Spark does: the clock, the statements, the scheduler, the stages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pyspark import SparkContext

from benchmarks.cost import Cost, Statement
from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.session.handle import SessionHandle


class Meter:
    """`cost` is known when the block of `metered` has ended."""

    def __init__(self) -> None:
        self.cost = Cost()


@contextmanager
def metered() -> Iterator[Meter]:
    """Meter all work of this process's Spark until the block ends."""
    meter = Meter()
    before, burnt = _newest_stage(), _cpu_seconds()
    with watch() as activity, _timed() as sent:
        started = time.perf_counter()
        yield meter
        seconds = time.perf_counter() - started
    statements = tuple(Statement.of(s.text, s.seconds) for s in sent)
    settings = sum(statement.kind == "settings" for statement in statements)
    meter.cost = replace(
        _stages_after(before),
        seconds=seconds,
        cpu_seconds=_cpu_seconds() - burnt,
        statements=len(statements) - settings,
        settings=settings,
        jobs=activity.jobs,
        sent=statements,
    )


@dataclass
class _Sent:
    """A statement on its way: `inside` is how many of its connection's calls are running."""

    text: str
    seconds: float = 0.0
    inside: int = 0


@contextmanager
def _timed() -> Iterator[list[_Sent]]:
    """Time every statement that a connection sends. A query's rows are computed when they are
    fetched, so that time is added to it."""
    sent: list[_Sent] = []
    newest: dict[int, _Sent] = {}
    whole = {
        name: getattr(SessionHandle, name) for name in ("execute", "fetchall", "fetchmany", "drain")
    }

    def timed(name: str) -> Callable[..., Any]:
        def call(handle: SessionHandle, *arguments: Any, **named: Any) -> Any:
            if name == "execute":
                newest[id(handle)] = _Sent(str(arguments[0] if arguments else named["sql"]))
                sent.append(newest[id(handle)])
            statement = newest.get(id(handle))
            if statement is None or statement.inside:
                return whole[name](handle, *arguments, **named)
            statement.inside += 1
            started = time.perf_counter()
            try:
                return whole[name](handle, *arguments, **named)
            finally:
                statement.seconds += time.perf_counter() - started
                statement.inside -= 1

        return call

    for name in whole:
        setattr(SessionHandle, name, timed(name))
    try:
        yield sent
    finally:
        for name, method in whole.items():
            setattr(SessionHandle, name, method)


def _cpu_seconds() -> float:
    """What the JVM has taken of the cores so far; 0 without one, or where it does not say."""
    context = SparkContext._active_spark_context
    if context is None or context._jvm is None:
        return 0.0
    taken = context._jvm.java.lang.ProcessHandle.current().info().totalCpuDuration()
    return float(taken.get().toMillis()) / 1000 if taken.isPresent() else 0.0


def _stages() -> Any:
    """The stages that Spark still knows, newest first, as a Scala sequence; None without Spark."""
    context = SparkContext._active_spark_context
    if context is None or context._jsc is None:
        return None
    scala = context._jsc.sc()
    scala.listenerBus().waitUntilEmpty()
    doubles = context._gateway.new_array(context._jvm.double, 0)
    statuses = context._jvm.java.util.ArrayList()
    return scala.statusStore().stageList(statuses, False, False, doubles, statuses)


def _newest_stage() -> int:
    """The number of the newest stage; -1 before the first."""
    stages = _stages()
    return int(stages.apply(0).stageId()) if stages is not None and stages.size() else -1


def _stages_after(number: int) -> Cost:
    """What the stages read and wrote that are newer than one."""
    total = dict.fromkeys(
        ("rows_read", "bytes_read", "rows_written", "bytes_written", "bytes_shuffled"), 0
    )
    stages = _stages()
    for place in range(stages.size() if stages is not None else 0):
        stage = stages.apply(place)
        if stage.stageId() <= number:
            break
        total["rows_read"] += stage.inputRecords()
        total["bytes_read"] += stage.inputBytes()
        total["rows_written"] += stage.outputRecords()
        total["bytes_written"] += stage.outputBytes()
        total["bytes_shuffled"] += stage.shuffleWriteBytes()
    return Cost(**total)
