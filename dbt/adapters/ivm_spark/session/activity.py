"""Counts of the SQL statements and the Spark jobs of a block of code."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pyspark import SparkContext

_watchers: list[Activity] = []
_lock = threading.Lock()


@dataclass
class Activity:
    """The work of the embedded Spark during a watch.

    Attributes:
        statements: texts of the statements that were sent.
        jobs: number of Spark jobs, known when the watch has ended. It counts every job of the
            process, including those that a command runs by itself (Delta reading its log, the
            broadcast of a join).
    """

    statements: list[str] = field(default_factory=list)
    jobs: int = 0


def note_statement(sql: str) -> None:
    """Tell every watcher that a statement is being sent."""
    with _lock:
        for watcher in _watchers:
            watcher.statements.append(sql)


@contextmanager
def watch() -> Iterator[Activity]:
    """Watch all connections with `method: session` of this process until the block ends."""
    activity = Activity()
    before = _jobs_so_far()
    with _lock:
        _watchers.append(activity)
    try:
        yield activity
    finally:
        with _lock:
            _watchers[:] = [watcher for watcher in _watchers if watcher is not activity]
        activity.jobs = _jobs_so_far() - before


def _jobs_so_far() -> int:
    """Return how many jobs the running Spark context was ever given; 0 without a context.

    This is the scheduler's own counter. It is exact and, unlike the status store, neither delayed
    nor bounded.
    """
    context = SparkContext._active_spark_context
    if context is None or context._jsc is None:
        return 0
    return int(context._jsc.sc().dagScheduler().numTotalJobs())
