from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session.handle import SessionHandle

TINY_TABLES = {
    # Compiling a plan to bytecode takes longer than running it over fifty rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # VACUUM lists a table's folders in so many tasks.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
}


@pytest.fixture(scope="class")
def dbt_profile_target(spark_parameters: dict[str, str]) -> dict[str, object]:
    return {
        "type": "ivm_spark",
        "method": "session",
        "threads": 3,
        "server_side_parameters": spark_parameters | TINY_TABLES,
    }


@pytest.fixture
def handle(spark_parameters: dict[str, str]) -> Iterator[SessionHandle]:
    """A connection of its own, beside those that dbt opens."""
    handle = SessionHandle(spark_parameters)
    yield handle
    handle.close()
