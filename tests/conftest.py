import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from dbt.adapters.ivm_spark.session.connect_handle import ConnectHandle
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests import second_catalog
from tests.iceberg_rest import IcebergRest
from tests.object_store import ObjectStore
from tests.spark_cluster import SparkCluster
from tests.spark_server import SparkServer

pytest_plugins = ["dbt.tests.fixtures.project"]

TargetWith = Callable[[dict[str, str]], dict[str, object]]
"""Of the fixture `target_with`: the profile's target with these `server_side_parameters`."""
OpenHandle = Callable[[dict[str, str]], SessionHandle]
"""Of the fixture `open_handle`: a connection with these `server_side_parameters`."""
OWN_SPARK = (
    *(
        "metastore/test_metastore.py",
        "packaging/test_install.py",
        "packaging/test_wheel.py",
        "session/test_own_process.py",
        "session/test_resident.py",
        "test_demo.py",
        "test_quick.py",
    ),
    *("kills/test_kills.py", "kills/test_rivals.py", "kills/test_ended_spark.py"),
)
"""Tests whose Spark, if any, runs in a process of its own."""
IN_MEMORY = (
    *(f"/test_{name}.py" for name in "differential traps fallbacks".split()),
    *(f"/test_{name}.py" for name in "bad_input protocol surface values dbt_parents".split()),
    *(f"/test_{name}.py" for name in "source_life accidents faults append tutorial".split()),
    *(f"/test_{name}.py" for name in "change_sources iceberg catalogs".split()),
    *(
        f"/test_{name}.py"
        for name in "meaning back_office clock changes frozen query_change".split()
    ),
)
"""Tests on the Spark with a catalog in memory; Hive's costs a tenth of their time. All others,
among them those of names and types, are on the Spark with Hive's, which is the default. The
catalog in memory refuses to replace a table whose partition columns are not its last ones."""
ICEBERG = {
    "4.0": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
    "4.1": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
}.get(version("pyspark")[:3], "")
"""Iceberg's package for the installed Spark, empty if there is none."""
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
def method(request: pytest.FixtureRequest) -> str:
    """How dbt reaches Spark in this test run."""
    return str(request.config.getoption("--method"))


@pytest.fixture(scope="session")
def spark_cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkCluster | None]:
    """The cluster that this test run's Spark has its executors on, if it has one."""
    if not request.config.getoption("--cluster"):
        yield None
        return
    cluster = SparkCluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def object_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ObjectStore | None]:
    """The store that this test run's tables are in, if it is not a folder."""
    if request.config.getoption("--store") == "folder":
        yield None
        return
    store = ObjectStore(tmp_path_factory.mktemp("store"))
    yield store
    store.stop()


@pytest.fixture(scope="session")
def iceberg_rest(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IcebergRest | None]:
    """The REST catalog that this test run's Iceberg tables are in, if they are in one."""
    if request.config.getoption("--iceberg-catalog") == "hadoop" or not ICEBERG:
        yield None
        return
    catalog = IcebergRest(tmp_path_factory.mktemp("rest"), ICEBERG.rpartition(":")[2])
    yield catalog
    catalog.stop()


@pytest.fixture(scope="session")
def process_parameters(
    object_store: ObjectStore | None,
    iceberg_rest: IcebergRest | None,
    spark_cluster: SparkCluster | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    """Settings of the one Spark of this test run: a warehouse and a catalog that vanish with it."""
    folder = tmp_path_factory.mktemp("spark")
    on_cluster = {} if spark_cluster is None else spark_cluster.settings
    return on_cluster | {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:memory:{folder.name};create=true"
        ),
        "spark.driver.memory": "2g",
        # Every hash table takes at least a page. By default that is tens of MB, also for ten rows,
        # and the tables of broadcast joins stay until the driver's garbage is collected.
        "spark.buffer.pageSize": "1m",
        "spark.driver.extraJavaOptions": " ".join(JVM),
        **(_iceberg(folder / "ice", iceberg_rest) if ICEBERG else {}),
        **second_catalog.settings(folder / "second"),
        **({} if object_store is None else object_store.settings),
    }


def _iceberg(folder: Path, rest: IcebergRest | None) -> dict[str, str]:
    """A catalog `ice` beside Spark's own, with tables in a folder."""
    if rest is not None:
        return {"spark.jars.packages": ICEBERG, **rest.settings("ice")}
    return {
        "spark.jars.packages": ICEBERG,
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(folder),
    }


@pytest.fixture(scope="session")
def spark_server(
    method: str,
    process_parameters: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
    start_of_spark: Callable[[], AbstractContextManager[None]],
) -> Iterator[SparkServer | None]:
    """The Spark of this test run where it is not dbt's own."""
    if method == "session":
        yield None
        return
    with start_of_spark():
        server = SparkServer(tmp_path_factory.mktemp("server"), process_parameters)
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def spark_parameters(
    process_parameters: dict[str, str],
    spark_server: SparkServer | None,
    start_of_spark: Callable[[], AbstractContextManager[None]],
) -> dict[str, str]:
    """The `server_side_parameters` of this test run."""
    parameters = {
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
    }
    if spark_server is not None:
        return parameters
    parameters |= process_parameters
    test = os.environ["PYTEST_CURRENT_TEST"]
    if _path(test).endswith(IN_MEMORY) and "PYTEST_XDIST_WORKER" in os.environ:
        parameters["spark.sql.catalogImplementation"] = "in-memory"
    with start_of_spark():
        SessionHandle(parameters, archive=False).close()
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


@pytest.fixture(scope="session")
def target_with(method: str, spark_server: SparkServer | None) -> TargetWith:
    """The profile's target with these `server_side_parameters`."""
    # Three threads are what dbt's own tests of hooks expect.
    at = {"threads": 3} if spark_server is None else spark_server.target(method)
    return lambda parameters: {
        "type": "ivm_spark",
        "threads": 4,
        "method": method,
        **at,
        "server_side_parameters": parameters,
    }


@pytest.fixture(scope="session")
def open_handle(spark_server: SparkServer | None) -> OpenHandle:
    """Opens a connection of its own, beside those that dbt opens; values come as Spark's own also
    where dbt's go through Thrift."""
    if spark_server is None:
        return SessionHandle
    url = spark_server.connect_url
    return lambda parameters: ConnectHandle(url, parameters)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--method",
        choices=("session", "thrift", "connect"),
        default="session",
        help="how dbt reaches Spark: its own, or a server that the tests start",
    )
    parser.addoption(
        "--cluster", action="store_true", help="on a standalone cluster that the tests start"
    )
    parser.addoption(
        "--store",
        choices=("folder", "s3"),
        default="folder",
        help="where the tables are: a folder, or an S3 server that the tests start",
    )
    parser.addoption(
        "--iceberg-catalog",
        choices=("hadoop", "rest"),
        default="hadoop",
        help="where Iceberg's tables are: a folder, or a REST catalog that the tests start",
    )
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
