import pytest

pytest_plugins = ["dbt.tests.fixtures.project"]


@pytest.fixture(scope="session")
def spark_parameters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings of the one Spark of this test run: a warehouse and a catalog that vanish with it."""
    folder = tmp_path_factory.mktemp("spark")
    catalog = f"jdbc:derby:memory:{folder.name};create=true"
    return {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": catalog,
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.driver.memory": "2g",
    }


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
