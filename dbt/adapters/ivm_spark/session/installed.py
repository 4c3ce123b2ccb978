"""The Java that Spark runs on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError

MINIMUM = 17
SUPPORTED = "17 or 21"
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_WHAT_TO_DO = (
    f"Spark 4 needs Java {SUPPORTED}. Install it (for example OpenJDK 17) and put it on PATH, "
    "or point JAVA_HOME at it."
)


def java_version() -> int:
    """Return the major version of the Java that Spark's own scripts use.

    Raises:
        DbtRuntimeError: there is none, it does not run, or it is older than Spark 4 needs.
            A version newer than supported is not refused: some versions of Spark start on it.
    """
    binary = _java_binary()
    try:
        answer = subprocess.run(
            [binary, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise DbtRuntimeError(f"Java at {binary} does not run: {error}. {_WHAT_TO_DO}") from error
    found = _VERSION.search(answer.stderr + answer.stdout)
    if found is None:
        raise DbtRuntimeError(f"{binary} -version printed no Java version. {_WHAT_TO_DO}")
    version = int(found.group(1))
    if version < MINIMUM:
        raise DbtRuntimeError(f"{binary} is Java {version}. {_WHAT_TO_DO}")
    return version


def _java_binary() -> str:
    """Return Java's path: from JAVA_HOME first, then PATH, as Spark's `spark-class` does."""
    home = os.environ.get("JAVA_HOME")
    if home:
        binary = Path(home) / "bin" / ("java.exe" if os.name == "nt" else "java")
        if not binary.is_file():
            raise DbtRuntimeError(f"JAVA_HOME is {home}, which has no bin/java. {_WHAT_TO_DO}")
        return str(binary)
    on_path = shutil.which("java")
    if on_path is None:
        raise DbtRuntimeError(f"No Java found: JAVA_HOME is not set. {_WHAT_TO_DO}")
    return on_path
