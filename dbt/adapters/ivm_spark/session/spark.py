"""The one Spark of this process, on which every connection opens its session."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Mapping
from contextlib import suppress

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.errors import error_message
from dbt.adapters.ivm_spark.session.gateway import answer_at_once
from dbt.adapters.ivm_spark.session.installed import SUPPORTED, delta_package, java_version
from dbt.adapters.ivm_spark.session.place import Place
from dbt.adapters.ivm_spark.session.resident import resident_session
from dbt.adapters.ivm_spark.session.settings import (
    CATALOG,
    DELTA_CATALOG,
    DELTA_EXTENSION,
    EXTENSIONS,
    PACKAGES,
    is_local,
    needs_delta_package,
    spark_defaults,
    spark_settings,
)
from dbt.adapters.ivm_spark.session.spark_log import SparkLog
from dbt.adapters.ivm_spark.session.start import Started, started
from dbt.adapters.ivm_spark.session.start_files import waiting_for

logger = AdapterLogger("IvmSpark")
_lock = threading.Lock()
_started_with: dict[str, str] = {}


def new_session(
    parameters: Mapping[str, str], keep: float = 0.0, archive: bool = True
) -> SparkSession:
    """Return a session with its own settings and temporary views, on the process's one Spark.

    If somebody else made a Spark session, dbt uses that Spark as it is and never changes it.
    Otherwise an embedded Spark starts, and runs until the process ends. With `keep`, it runs in a
    process of its own, serves other dbt processes too, and ends that many seconds after the last
    of them.

    archive: whether to use an archive of Spark's classes, and to write one if there is none.

    Raises:
        DbtRuntimeError: Java, Delta's jars or matching packages are missing, Spark does not start,
            or the existing session has no Delta. The message says what to do.
    """
    with _lock:
        root = _existing() or _start(parameters, keep, archive)
    session = root.newSession()
    answer_at_once(session)
    _check_delta(session)
    return session


def start_early(parameters: Mapping[str, str], keep: float, archive: bool) -> None:
    """Start Spark and its catalog in the background, while dbt reads the project.

    If that fails, the first connection tries again, and says why.
    """

    def start() -> None:
        with suppress(DbtRuntimeError, Py4JError, PySparkException, OSError):
            new_session(parameters, keep, archive).sql("show databases").collect()

    threading.Thread(target=start, name="ivm_spark_start", daemon=True).start()


def is_started_with(key: str, value: str) -> bool:
    """Return whether this process's Spark was started with a setting.

    Spark may show another value: our own part of a list is added, and a path becomes a URI.
    """
    return _started_with.get(key) == value


def has_executors() -> bool:
    """Return whether this process's Spark runs its tasks in other processes, which may be lost."""
    context = SparkContext._active_spark_context
    return context is not None and not is_local({"spark.master": context.master or ""})


def _existing() -> SparkSession | None:
    context = SparkContext._active_spark_context
    if context is None or context._jsc is None:
        return None
    # The builder returns the existing session, or one on the existing context.
    return SparkSession._instantiatedSession or SparkSession.builder.getOrCreate()


def _check_delta(session: SparkSession) -> None:
    extensions = session.conf.get(EXTENSIONS, "") or ""
    if DELTA_EXTENSION in extensions and session.conf.get(CATALOG, "") == DELTA_CATALOG:
        return
    raise DbtRuntimeError(
        "The Spark session of this process was created without Delta Lake. Create it with "
        f"{EXTENSIONS}={DELTA_EXTENSION} and {CATALOG}={DELTA_CATALOG} (and Delta's jars: "
        "delta.configure_spark_with_delta_pip), or let dbt start Spark itself."
    )


def _start(parameters: Mapping[str, str], keep: float, archive: bool) -> SparkSession:
    user = {**spark_defaults(), **parameters}
    place = Place.of(user) if keep else None
    log = SparkLog(None if place is None else place.folder)
    java: int | None = None
    package: str | None = None
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        java = java_version()
    if needs_delta_package(user):
        package = delta_package()
    settings = spark_settings(user, package, log.folder)
    # PySpark logs each error's JVM stack to the console, even for errors that dbt expects.
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    # Py4J logs each command that an ended process does not answer. If no logger has a handler,
    # Python writes the message and its traceback to the console.
    logging.getLogger("py4j").addHandler(logging.NullHandler())
    try:
        if place is not None and java is not None:
            session = resident_session(settings, place, keep, archive)
        elif SparkContext._gateway is None:
            logger.info(waiting_for(settings))
            spark = started(settings, log, archive and java is not None)
            session = spark.session
            atexit.register(_finish, spark)
        else:
            session = SparkSession.builder.config(map=dict(settings)).getOrCreate()
        _started_with.update(parameters)
        return session
    except DbtRuntimeError:
        raise
    except Exception as error:
        raise DbtRuntimeError(_start_failure(error, settings, log, java)) from error


def _finish(spark: Started) -> None:
    """Leave an archive of Spark's classes at the end of the process."""
    with suppress(Py4JError, PySparkException, OSError):
        spark.finish()


def _start_failure(
    error: Exception, settings: Mapping[str, str], log: SparkLog, java: int | None
) -> str:
    said = log.text().lower()
    if "unresolved dependenc" in said:
        return (
            f"Spark could not fetch {settings.get(PACKAGES)}: it reached no Maven repository that "
            "has it. Connect to the internet once to fill the Ivy cache, or set in "
            "server_side_parameters: spark.jars (paths of the jars, delta-spark and "
            "delta-storage), spark.jars.repositories or spark.jars.ivySettings (a mirror). If the "
            "jars of this delta-spark release are not published yet, install the release before "
            f"it. Details: {log.path}"
        )
    lines = [f"Spark did not start: {error_message(error)}"]
    if java is not None and str(java) not in SUPPORTED.split(" or "):
        lines.append(f"It ran on Java {java}; Spark 4 supports Java {SUPPORTED}.")
    lines += [log.telling_lines(), f"Details: {log.path}"]
    return "\n".join(line for line in lines if line)
