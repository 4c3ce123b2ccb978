"""Counting the SQL statements and the Spark jobs of a stretch of work."""

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
    """What the embedded Spark was asked to do: the statements' texts and the number of jobs.

    `jobs` is known when the watch has ended. It counts every job of the process, also those that
    a command runs by itself (Delta reading its log, a broadcast of a join).
    """

    statements: list[str] = field(default_factory=list)
    jobs: int = 0


def note_statement(sql: str) -> None:
    """Tell everybody who watches that a statement is being sent."""
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
    """The number of jobs the running Spark context has ever been given; 0 without one.

    The scheduler's own counter: exact, and unlike the status store neither delayed nor bounded.
    """
    context = SparkContext._active_spark_context
    if context is None or context._jsc is None:
        return 0
    return int(context._jsc.sc().dagScheduler().numTotalJobs())
