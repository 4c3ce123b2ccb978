from collections.abc import Iterator

import pytest
from pyspark import SparkContext

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.conftest import OpenHandle, TargetWith

TINY_TABLES = {
    # Compiling a plan to bytecode takes longer than running it over fifty rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # VACUUM lists a table's folders in so many tasks.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
}


@pytest.fixture(scope="class", autouse=True)
def forgotten_logs(method: str) -> Iterator[None]:
    """Delta remembers each table that was read in the last hour, with the plans of its log.

    Those of a test run's tables fill the heap, and the collector then works more than the tests.
    """
    yield
    context = SparkContext._active_spark_context
    if method == "session" and context is not None and context._jvm is not None:
        context._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


@pytest.fixture(scope="class")
def dbt_profile_target(
    spark_parameters: dict[str, str], target_with: TargetWith
) -> dict[str, object]:
    return target_with(spark_parameters | TINY_TABLES)


@pytest.fixture
def embedded(method: str) -> None:
    """For a test that looks into the Spark of its own process."""
    if method != "session":
        pytest.skip("looks into the embedded Spark")


@pytest.fixture
def handle(spark_parameters: dict[str, str], open_handle: OpenHandle) -> Iterator[SessionHandle]:
    """A connection of its own, beside those that dbt opens."""
    handle = open_handle(spark_parameters)
    yield handle
    handle.close()
