import pytest

from tests.functional.ivm.conftest import warehouse
from tests.spark_cluster import SparkCluster

__all__ = ["warehouse"]


@pytest.fixture(scope="session")
def cluster(spark_cluster: SparkCluster | None) -> SparkCluster:
    """Of this test run."""
    if spark_cluster is None:
        pytest.skip("make cluster-test")
    return spark_cluster
