"""Under which conditions figures were measured: the machine, the heap, the versions."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pyspark import SparkContext

PACKAGES = ("dbt-core", "dbt-spark", "pyspark", "delta-spark", "sqlglot")
_SETTINGS = ("spark.master", "spark.sql.shuffle.partitions", "spark.sql.ansi.enabled")


def conditions() -> dict[str, Any]:
    """Cores, memory and heap in bytes, versions, and how busy the machine is (processes that run or
    want to, the mean of the last minute). Needs a running Spark."""
    context = SparkContext._active_spark_context
    jvm = context._jvm
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    settings = dict(context.getConf().getAll())
    return {
        "cores": context.defaultParallelism,
        "memory_bytes": pages,
        "heap_bytes": int(jvm.java.lang.Runtime.getRuntime().maxMemory()),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "java": str(jvm.java.lang.System.getProperty("java.version")),
        "versions": {name: version(name) for name in PACKAGES},
        "settings": {key: settings[key] for key in _SETTINGS if key in settings},
        "commit": _commit(),
    }


def memory() -> dict[str, int]:
    """The most bytes that this process's Python has had so far. Of Spark's heap the limit says
    enough: a JVM fills it before it tidies up."""
    return {"python_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def _commit() -> str | None:
    """The commit that is measured, with `-dirty` where the tree is changed; None outside git."""
    command = ["git", "describe", "--always", "--dirty"]
    folder = Path(__file__).parent
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
