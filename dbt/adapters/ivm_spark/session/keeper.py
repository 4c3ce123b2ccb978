"""The process that keeps a Spark: `python -m dbt.adapters.ivm_spark.session.keeper <folder>`.

It reads Spark's settings from its standard input (see `order`), starts Spark, writes Spark's note,
and waits. It ends Spark when nobody has used it for the time to keep it, or on SIGTERM. If the
keeper is killed, Spark ends, since the pipe between them closes. If Spark ends, so does the keeper.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from dbt.adapters.ivm_spark.session.gateway import forget_abandoned
from dbt.adapters.ivm_spark.session.place import (
    MEMORY,
    WAREHOUSE,
    Note,
    Place,
    digests,
    versions,
)
from dbt.adapters.ivm_spark.session.spark_log import SparkLog
from dbt.adapters.ivm_spark.session.start import Started, started

_LOOK = 0.5
"""Seconds between two looks at clients and Spark."""
_ENDING = 20.0
"""Seconds that Spark has to end by itself."""


class Keeper:
    """Keeps a Spark while it is used, and for some time after that.

    Args:
        place: the place of the warehouse.
        spark: the Spark that this process has started.
    """

    def __init__(self, place: Place, spark: Started) -> None:
        self._place = place
        self._spark = spark
        self._jvm: subprocess.Popen[bytes] = spark.gateway.proc
        self._stopped = False
        signal.signal(signal.SIGTERM, self._stop)

    def _stop(self, *_: Any) -> None:
        self._stopped = True

    def run(self) -> None:
        """Return when Spark has ended."""
        left = time.monotonic()
        used = False
        while not self._stopped and self._jvm.poll() is None:
            with self._place.without_clients() as idle:
                if idle and used:
                    self._clean()
                if idle and time.monotonic() - left > self._place.keep:
                    self._end()
                    return
            if not idle:
                left = time.monotonic()
            used = not idle
            time.sleep(_LOOK)
        self._end()

    def _clean(self) -> None:
        """End the jobs and free the memory that clients have left; some may have been killed."""
        with suppress(Py4JError, PySparkException, OSError):
            self._spark.session.sparkContext.cancelAllJobs()
            self._spark.session.catalog.clearCache()
            forget_abandoned(self._spark.gateway)
            self._spark.finish()

    def _end(self) -> None:
        self._place.forget()
        if self._jvm.stdin is not None:
            with suppress(OSError):
                self._jvm.stdin.close()
        try:
            self._jvm.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._jvm.kill()
            self._jvm.wait()


def order(settings: Mapping[str, str], archive: bool) -> bytes:
    """Return the keeper's input: the settings of Spark, and whether to use an archive."""
    return json.dumps({"settings": dict(settings), "archive": archive}).encode()


def main() -> None:
    """Start and keep a Spark."""
    place = Place(Path(sys.argv[1]))
    given = json.load(sys.stdin)
    settings: dict[str, str] = given["settings"]
    alive, _kept = place.live(), place.live("keeper")
    place.forget()
    place.failed.unlink(missing_ok=True)
    try:
        # Spark's process holds the lock too, so it counts as alive until both have ended.
        log = SparkLog(place.folder)
        spark = started(settings, log, given["archive"], (alive.fileno(),))
        warehouse = spark.session.conf.get(WAREHOUSE) or ""
    except Exception as error:
        place.failed.write_text(f"{error}", encoding="utf-8")
        sys.exit(1)
    parameters = spark.gateway.gateway_parameters
    place.write(
        Note(
            port=int(parameters.port),
            secret=str(parameters.auth_token),
            keeper=os.getpid(),
            jvm=int(spark.gateway.proc.pid),
            started=time.time(),
            warehouse=warehouse.removeprefix("file:"),
            memory=settings.get(MEMORY, ""),
            versions=versions(),
            digests=digests(settings),
        )
    )
    Keeper(place, spark).run()


if __name__ == "__main__":
    main()
