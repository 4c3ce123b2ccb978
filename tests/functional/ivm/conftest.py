from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.functional.conftest import TINY_TABLES
from tests.functional.ivm.warehouse import Warehouse


@pytest.fixture(scope="class")
def warehouse(
    project: Any,
    spark_parameters: dict[str, str],
    open_handle: Callable[[dict[str, str]], SessionHandle],
) -> Iterator[Warehouse]:
    """The project's schema; tables that tests make in it go with it."""
    warehouse = Warehouse(project, lambda: open_handle(spark_parameters | TINY_TABLES).session)
    yield warehouse
    warehouse.drop()
