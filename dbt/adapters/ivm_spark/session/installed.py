"""The software beside the adapter: Java, Delta Lake's package, and the build of sqlglot."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError
from packaging.requirements import Requirement

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.session.settings import PACKAGES

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
    binary = java_binary()
    try:
        answer = subprocess.run(
            [binary, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise DbtRuntimeError(f"Java at {binary} does not run: {error}. {_WHAT_TO_DO}") from error
    found = _VERSION.search(answer.stderr + answer.stdout)
    if found is None:
        raise DbtRuntimeError(f"{binary} -version printed no Java version. {_WHAT_TO_DO}")
    major = int(found.group(1))
    if major < MINIMUM:
        raise DbtRuntimeError(f"{binary} is Java {major}. {_WHAT_TO_DO}")
    return major


def java_binary() -> str:
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


def delta_package() -> str:
    """Return the Maven coordinates of Delta, as delta-spark itself names them.

    Raises:
        DbtRuntimeError: pyspark or delta-spark is missing, or delta-spark does not accept the
            installed pyspark.
    """
    _check_fit()
    from delta.pip_utils import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    builder = configure_spark_with_delta_pip(SparkSession.Builder())
    return str(builder._options[PACKAGES])


def _check_fit() -> None:
    try:
        pyspark, delta = version("pyspark"), version("delta-spark")
    except PackageNotFoundError as error:
        raise DbtRuntimeError(
            f"The Python package {error.name} is not installed. `method: session` needs pyspark "
            "and delta-spark. Install matching versions: pip install dbt-ivm-spark"
        ) from error
    for requirement in map(Requirement, requires("delta-spark") or []):
        if requirement.name == "pyspark" and not requirement.specifier.contains(pyspark, True):
            raise DbtRuntimeError(
                f"delta-spark {delta} needs pyspark {requirement.specifier}, but pyspark "
                f"{pyspark} is installed. Install matching versions, for example: pip install "
                f"'delta-spark=={delta}' 'pyspark{requirement.specifier}'"
            )


def check_sqlglot() -> None:
    """Raise DbtRuntimeError if sqlglot's compiled build replaces its Python classes.

    That build (the package sqlglotc, which the extra `sqlglot[c]` installs) refuses classes that
    extend its own, as our dialect does. Source: sqlglot's issue 7923.
    """
    try:
        IvmSpark().parser()
    except TypeError as error:
        raise DbtRuntimeError(
            "sqlglot's compiled build is installed, and this adapter's dialect can't extend it. "
            "Remove it: pip uninstall sqlglotc. sqlglot itself stays."
        ) from error
