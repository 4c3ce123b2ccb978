from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session.handle import SessionHandle


@pytest.fixture(scope="class")
def dbt_profile_target(spark_parameters: dict[str, str]) -> dict[str, object]:
    return {
        "type": "ivm_spark",
        "method": "session",
        "threads": 2,
        "server_side_parameters": spark_parameters,
    }


@pytest.fixture
def handle(spark_parameters: dict[str, str]) -> Iterator[SessionHandle]:
    """A connection of its own, beside those that dbt opens."""
    handle = SessionHandle(spark_parameters)
    yield handle
    handle.close()
