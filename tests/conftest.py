import fcntl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from dbt.adapters.ivm_spark.session.handle import SessionHandle

pytest_plugins = ["dbt.tests.fixtures.project"]

OWN_SPARK = ("packaging/test_wheel.py", "session/test_own_process.py")
"""Tests whose Spark, if any, runs in a process of its own."""
SECOND_SPARK = (
    *(f"/test_{name}.py" for name in "tpch types names judge values fallbacks".split()),
    *(f"/test_{name}.py" for name in "aliases basic concurrency ephemeral hooks".split()),
    *(f"/test_{name}.py" for name in "query_comment store_test_failures statements".split()),
    "/test_one_session_per_connection.py",
)
JVM = (
    # Most of a short process's time goes into compiling Spark; two collectors' threads and a
    # compiler that waits for what is really hot leave more of two cores to the tests.
    "-XX:+UseSerialGC",
    "-XX:Tier4InvocationThreshold=20000",
    "-XX:Tier4MinInvocationThreshold=2400",
    "-XX:Tier4CompileThreshold=60000",
    "-XX:Tier4BackEdgeThreshold=160000",
    "-XX:ReservedCodeCacheSize=512m",
)


@pytest.fixture(scope="session")
def start_of_spark(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[], AbstractContextManager[None]]:
    """Held while a Spark starts. On a new machine the first start fetches Delta's jars; two at
    once would spoil Ivy's cache."""
    folder = tmp_path_factory.getbasetemp()
    path = folder.parent if folder.name.startswith("popen-") else folder

    @contextmanager
    def alone() -> Iterator[None]:
        with (path / "spark.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    return alone


@pytest.fixture(scope="session")
def spark_parameters(
    tmp_path_factory: pytest.TempPathFactory,
    start_of_spark: Callable[[], AbstractContextManager[None]],
) -> dict[str, str]:
    """Settings of the one Spark of this test run: a warehouse and a catalog that vanish with it."""
    folder = tmp_path_factory.mktemp("spark")
    catalog = f"jdbc:derby:memory:{folder.name};create=true"
    parameters = {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": catalog,
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": " ".join(JVM),
    }
    with start_of_spark():
        SessionHandle(parameters).close()
    return parameters


class _TwoSparks(LoadScopeScheduling):
    """Two processes with a Spark each, for about as long; every file has its place, since a third
    Spark would be compiled anew."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::")[0]
        if not path.startswith("tests/functional/") or path.endswith(OWN_SPARK):
            return path
        return "the second Spark" if path.endswith(SECOND_SPARK) else "the first Spark"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return _TwoSparks(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
