"""The Delta Lake package that matches the installed pyspark and delta-spark."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires, version

from dbt_common.exceptions import DbtRuntimeError
from packaging.requirements import Requirement

PACKAGES = "spark.jars.packages"


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
