"""What a stretch of work cost: seconds, statements, Spark jobs, rows and bytes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark import SparkContext

from dbt.adapters.ivm_spark.session.activity import watch


@dataclass
class Cost:
    """Seconds on the clock; statements sent; Spark jobs, Delta's own included; rows and bytes that
    the stages read from files and wrote to them, and bytes that they shuffled."""

    seconds: float = 0.0
    statements: int = 0
    settings: int = 0
    jobs: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    rows_written: int = 0
    bytes_written: int = 0
    bytes_shuffled: int = 0


@contextmanager
def metered() -> Iterator[Cost]:
    """Meter all work of this process's Spark until the block ends."""
    cost = Cost()
    before = _stages()
    started = time.perf_counter()
    with watch() as activity:
        yield cost
    cost.seconds = time.perf_counter() - started
    texts = [text.lstrip().lower() for text in activity.statements]
    cost.settings = sum(text.startswith(("set ", "reset ")) for text in texts)
    cost.statements = len(texts) - cost.settings
    cost.jobs = activity.jobs
    for key, stage in _stages().items():
        if key not in before:
            cost.rows_read += stage.inputRecords()
            cost.bytes_read += stage.inputBytes()
            cost.rows_written += stage.outputRecords()
            cost.bytes_written += stage.outputBytes()
            cost.bytes_shuffled += stage.shuffleWriteBytes()


def _stages() -> dict[tuple[int, int], object]:
    """The stages that Spark still knows, by id and attempt."""
    context = SparkContext._active_spark_context
    if context is None:
        return {}
    scala = context._jsc.sc()
    scala.listenerBus().waitUntilEmpty()
    doubles = context._gateway.new_array(context._jvm.double, 0)
    statuses = context._jvm.java.util.ArrayList()
    stages = scala.statusStore().stageList(None, False, False, doubles, statuses)
    found = (stages.apply(i) for i in range(stages.size()))
    return {(s.stageId(), s.attemptId()): s for s in found}
