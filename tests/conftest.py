import fcntl

import pytest

from dbt.adapters.ivm_spark.session.handle import SessionHandle

pytest_plugins = ["dbt.tests.fixtures.project"]


@pytest.fixture(scope="session")
def spark_parameters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings of the one Spark of this test run: a warehouse and a catalog that vanish with it."""
    folder = tmp_path_factory.mktemp("spark")
    catalog = f"jdbc:derby:memory:{folder.name};create=true"
    parameters = {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": catalog,
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.driver.memory": "2g",
    }
    # On a new machine the first start fetches Delta's jars; two at once would spoil Ivy's cache.
    with (tmp_path_factory.getbasetemp().parent / "spark.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        SessionHandle(parameters).close()
    return parameters


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
