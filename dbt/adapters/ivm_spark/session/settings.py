"""The settings that the embedded Spark starts with."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
EXTENSIONS = "spark.sql.extensions"
CATALOG = "spark.sql.catalog.spark_catalog"
PACKAGES = "spark.jars.packages"
JARS = "spark.jars"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"

METASTORE = "spark.hadoop.javax.jdo.option.ConnectionURL"
METASTORE_SERVICE = "spark.hadoop.hive.metastore.uris"

_LOCAL = re.compile(r"local(?:\[(\*|\d+)[,\]]|$)")
_DERBY_URL = "jdbc:derby:"
_MIN_MEMORY_GIB, _MAX_MEMORY_GIB = 1, 8

PER_SESSION: Mapping[str, str] = {
    # Every table keeps its change feed, even after dbt's `create or replace table`.
    "spark.databricks.delta.properties.defaults.enableChangeDataFeed": "true",
    # Without this, one statement's transaction id silently skips the session's next statements.
    "spark.databricks.delta.write.txnVersion.autoReset.enabled": "true",
    # Lets CHANGES read a table with row tracking and no change feed, from Delta 4.4 on.
    "spark.databricks.delta.changelogV2.enabled": "true",
    # Without this, Spark cuts plans short. The user's query and the maintained one are compared
    # by their plans.
    "spark.sql.debug.maxToStringFields": "1000",
}
"""Settings of dbt's own sessions on any Spark; the profile overrides them."""
DEFAULTS: Mapping[str, str] = {
    **PER_SESSION,
    "spark.app.name": "dbt",
    "spark.sql.catalogImplementation": "hive",
    CATALOG: DELTA_CATALOG,
    # Without this, a table replaced with other column types fills the log with Hive error stacks.
    "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # The UI stores the text of every statement's plan. Its default form costs a small statement a
    # tenth of its time.
    "spark.sql.ui.explainMode": "simple",
    # Spark generates about forty classes for a model's refresh. If the cache has room for fewer
    # classes than a run makes, none of them is left at the model's next refresh, and the JIT's work
    # on them is lost too. A class takes about 22 KB of the heap and 15 KB beside it.
    "spark.sql.codegen.cache.maxEntries": "8000",
}

_JIT = (
    # Most of a short run's CPU time is the optimizing compiler's. Code that runs a few thousand
    # times, as most of Spark's planning does, stays with the quick compiler. Loops over rows reach
    # the optimizing one as soon as before.
    "-XX:Tier4InvocationThreshold=20000",
    "-XX:Tier4MinInvocationThreshold=2400",
    "-XX:Tier4CompileThreshold=60000",
    "-XX:Tier4BackEdgeThreshold=160000",
)
"""Options of Java for a local Spark; the user's own come after them and win.
Source: Java's documentation, "java", advanced JIT compiler options."""
_STOPPING_COLLECTOR = "-XX:+UseParallelGC"
"""On one or two cores, the threads of a concurrent collector take their time from Spark. This one
stops Spark and collects on all cores."""
_COLLECTOR = re.compile(r"-XX:\+Use\w*GC\b")

_DERBY: Mapping[str, str] = {
    # Hive can't store a view's column comment of more than 256 characters, so Spark leaves the
    # columns to its own properties. Before that, Hive tries ten times, two seconds apart.
    "spark.hadoop.hive.hmshandler.retry.attempts": "2",
    "spark.hadoop.hive.hmshandler.retry.interval": "20ms",
}
"""Settings of a metastore in a Derby file, which has one process and no others to wait for."""


def needs_delta_package(user: Mapping[str, str]) -> bool:
    """Return whether the user's own jars and packages lack Delta."""
    return not any("delta-spark" in user.get(key, "") for key in (PACKAGES, JARS))


def spark_settings(user: Mapping[str, str], package: str | None, logs: Path) -> dict[str, str]:
    """Return all settings that an embedded Spark starts with; the user's settings win.

    Delta is added to the user's lists of packages and extensions, and our JVM options are added to
    the user's. A master that is not local gets none of the settings for a laptop.

    Args:
        user: spark-defaults.conf and the profile's `server_side_parameters`.
        package: Maven coordinates of Delta, or None if the user provides the jars.
        logs: folder for the logs of the embedded Spark and its catalog.
    """
    settings = dict(DEFAULTS)
    master = user.get("spark.master", "local[*]")
    cores = _cores(master)
    if cores is not None:
        settings |= {
            "spark.master": master,
            "spark.driver.host": "localhost",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": f"{_memory_gib()}g",
            # Adaptive execution merges the small partitions. With fewer partitions, the sort or
            # hash table of a big source's share does not fit a laptop's heap.
            "spark.sql.shuffle.partitions": str(8 * cores),
            # Each hash table and sort takes at least one page, by default up to 64 MiB. A refresh
            # has many of them over few rows, which filled the heap and cost most of its time.
            "spark.buffer.pageSize": "2m",
            # Spark shares the bytes of a table's files out to the cores, and counts each file as 4
            # MB more. With a few small files, as appends leave them, two files of some MB become
            # one task, and another core waits. What such a task writes is read so again.
            "spark.sql.files.openCostInBytes": "256k",
            "spark.databricks.delta.snapshotPartitions": "2",
        }
    if _is_derby(user):
        settings |= _DERBY
    settings |= user
    if package is not None:
        settings[PACKAGES] = _joined(settings.get(PACKAGES), package)
    extensions = settings.get(EXTENSIONS, "")
    if DELTA_EXTENSION not in extensions:
        settings[EXTENSIONS] = _joined(extensions, DELTA_EXTENSION)
    options = settings.get(JAVA_OPTIONS, "")
    if cores is not None:
        few = cores <= 2 and not _COLLECTOR.search(options)
        options = " ".join((*_JIT, *([_STOPPING_COLLECTOR] if few else []), options)).strip()
    if "derby.stream.error.file" not in options:
        derby_log = f"-Dderby.stream.error.file={_without_spaces(logs) / 'derby.log'}"
        options = f"{derby_log} {options}".strip()
    settings[JAVA_OPTIONS] = options
    return settings


def spark_defaults() -> dict[str, str]:
    """Return the user's own settings in spark-defaults.conf; none without that file."""
    folder = os.environ.get("SPARK_CONF_DIR")
    if folder is None and "SPARK_HOME" in os.environ:
        folder = f"{os.environ['SPARK_HOME']}/conf"
    file = Path(folder or "") / "spark-defaults.conf"
    if folder is None or not file.is_file():
        return {}
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    pairs = (re.split(r"[\s=:]+", line, maxsplit=1) for line in lines if line[:1] not in ("", "#"))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def is_local(settings: Mapping[str, str]) -> bool:
    """Return whether Spark's tasks run in the driver's own process."""
    return _cores(settings.get("spark.master", "local[*]")) is not None


def _is_derby(user: Mapping[str, str]) -> bool:
    """Return whether the metastore is Spark's own, in a Derby file."""
    return METASTORE_SERVICE not in user and user.get(METASTORE, _DERBY_URL).startswith(_DERBY_URL)


def _cores(master: str) -> int | None:
    """Return the cores of a local master; None for a cluster."""
    found = _LOCAL.match(master)
    if found is None:
        return None
    said = found.group(1) or "1"
    return os.cpu_count() or 1 if said == "*" else int(said)


def _memory_gib() -> int:
    """Return a quarter of the machine's memory in GiB, within bounds that suit a laptop."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, OSError, ValueError):
        machine = 4 * _MIN_MEMORY_GIB
    return int(min(_MAX_MEMORY_GIB, max(_MIN_MEMORY_GIB, machine / 4)))


def _joined(*items: str | None) -> str:
    return ",".join(item for item in items if item)


def _without_spaces(folder: Path) -> Path:
    """Return the folder, or the temporary folder if it has a space.

    Java options are split at spaces, so an option can't name such a folder.
    """
    return Path(tempfile.gettempdir()) if " " in str(folder) else folder
