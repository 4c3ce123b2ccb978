"""Starts Spark's JVM and Spark in it, with the files that earlier starts have left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.gateway import launched
from dbt.adapters.ivm_spark.session.installed import java_binary
from dbt.adapters.ivm_spark.session.spark_log import SparkLog
from dbt.adapters.ivm_spark.session.start_files import (
    note_jars,
    with_archive,
    with_jars,
    write_archive,
)


@dataclass(frozen=True)
class Started:
    """A Spark that this process has started.

    Attributes:
        session: its first session.
        gateway: the gateway to its JVM.
        archive: the archive of its classes to write before it ends; None if the archive exists or
            is not wanted.
    """

    session: SparkSession
    gateway: Any
    archive: Path | None

    def finish(self) -> None:
        """Leave the archive for the next start."""
        if self.archive is not None and not self.archive.exists():
            write_archive(self.gateway, self.archive)


def started(
    settings: Mapping[str, str], log: SparkLog, archive: bool, fds: tuple[int, ...] = ()
) -> Started:
    """Start a JVM, and Spark in it.

    Args:
        settings: Spark's settings.
        log: the log for the JVM's output.
        archive: whether to use an archive of Spark's classes.
        fds: open files that the JVM inherits.
    """
    given, wanted = with_jars(settings), None
    if archive:
        given, wanted = with_archive(given, Path(java_binary()))
    gateway = launched(given, log, fds)
    session = SparkSession.builder.config(map=dict(given)).getOrCreate()
    note_jars(given, session.sparkContext)
    return Started(session, gateway, wanted)
