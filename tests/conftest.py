import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from dbt.adapters.ivm_spark.session.handle import SessionHandle

pytest_plugins = ["dbt.tests.fixtures.project"]

OWN_SPARK = (
    *("packaging/test_wheel.py", "session/test_own_process.py", "test_quick.py"),
    *("kills/test_kills.py", "kills/test_rivals.py", "kills/test_ended_spark.py"),
)
"""Tests whose Spark, if any, runs in a process of its own."""
IN_MEMORY = (
    *(f"/test_{name}.py" for name in "differential traps fallbacks".split()),
    *(f"/test_{name}.py" for name in "bad_input protocol surface values dbt_parents".split()),
    *(f"/test_{name}.py" for name in "source_life accidents faults append tutorial".split()),
)
"""Tests on the Spark with a catalog in memory; Hive's costs a tenth of their time. All others,
among them those of names and types, are on the Spark with Hive's, which is the default."""
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
    test = os.environ["PYTEST_CURRENT_TEST"]
    if _path(test).endswith(IN_MEMORY) and "PYTEST_XDIST_WORKER" in os.environ:
        parameters["spark.sql.catalogImplementation"] = "in-memory"
    with start_of_spark():
        SessionHandle(parameters).close()
    return parameters


class _TwoSparks(LoadScopeScheduling):
    """Two processes with a Spark each, for about as long; every file has its place, since a third
    Spark would be compiled anew."""

    def _split_scope(self, nodeid: str) -> str:
        path = _path(nodeid)
        if path.startswith("tests/differential/"):
            return "the Spark with Hive"  # it has less to do, and these take too long to come last
        if not path.startswith("tests/functional/") or path.endswith(OWN_SPARK):
            return path
        return "the Spark in memory" if path.endswith(IN_MEMORY) else "the Spark with Hive"


def _path(nodeid: str) -> str:
    return nodeid.split("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """None, which is xdist's own, where --dist says one."""
    return _TwoSparks(config, log) if config.getoption("dist") == "load" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
