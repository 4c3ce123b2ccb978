from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import OpenHandle
from tests.functional.conftest import TINY_TABLES
from tests.functional.ivm.warehouse import Warehouse

INCREMENTAL = {"models": {"+refresh_policy": "incremental"}}
"""A project in which tables of a few rows, which `auto` would rebuild, are refreshed by what
changed; a model's own config has the last word."""


@pytest.fixture(scope="class")
def project_config_update() -> dict[str, Any]:
    return INCREMENTAL


@pytest.fixture(scope="class")
def warehouse(
    project: Any,
    spark_parameters: dict[str, str],
    open_handle: OpenHandle,
) -> Iterator[Warehouse]:
    """The project's schema; tables that tests make in it go with it."""
    warehouse = Warehouse(project, lambda: open_handle(spark_parameters | TINY_TABLES).session)
    yield warehouse
    warehouse.drop()
