from collections.abc import Iterator
from typing import Any

import pytest

from tests.functional.ivm.warehouse import Warehouse

TINY_TABLES = {
    # Compiling a plan to bytecode takes longer than running it over fifty rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
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


@pytest.fixture(scope="class")
def warehouse(project: Any, spark_parameters: dict[str, str]) -> Iterator[Warehouse]:
    """The project's schema; tables that tests make in it go with it."""
    warehouse = Warehouse(project, spark_parameters | TINY_TABLES)
    yield warehouse
    warehouse.drop()
