"""A Spark in a process of its own, which dbt reaches through Thrift or Spark Connect."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Timer

import pyspark

from dbt.adapters.ivm_spark.session.installed import delta_package
from dbt.adapters.ivm_spark.session.settings import DELTA_CATALOG, DELTA_EXTENSION, JARS, PACKAGES

SPARK = Path(pyspark.__file__).parent
HOST = "127.0.0.1"
LOOPBACK = {"spark.driver.host": HOST, "spark.driver.bindAddress": HOST}
_FETCH = (
    "import sys; from dbt.adapters.ivm_spark.session.handle import SessionHandle; "
    "SessionHandle({'spark.jars.packages': sys.argv[1]}).close()"
)
_PATIENCE = 180.0
_DELTA = {
    "spark.sql.extensions": DELTA_EXTENSION,
    "spark.sql.catalog.spark_catalog": DELTA_CATALOG,
    "spark.sql.catalogImplementation": "hive",
    "spark.ui.enabled": "false",
    **LOOPBACK,
}


class SparkServer:
    """Spark's Thrift server and its Connect server in one process, from the installed pyspark.

    As a user starts them: nothing but Delta's jars and catalog, and the packages of the settings,
    is added to plain Spark.

    Attributes:
        thrift_port, connect_port: on `HOST`.
        log: what the process says.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.thrift_port, self.connect_port = free_port(), free_port()
        self.log = folder / "server.log"
        hive = {
            "hive.server2.thrift.port": str(self.thrift_port),
            "hive.server2.thrift.bind.host": HOST,
            "hive.exec.scratchdir": str(folder / "scratch"),
            "hive.exec.local.scratchdir": str(folder / "scratch"),
            "hive.server2.logging.operation.enabled": "false",
        }
        others = [name for name in settings.get(PACKAGES, "").split(",") if name]
        jars = [str(jar) for package in (delta_package(), *others) for jar in jars_of(package)]
        jars += [jar for jar in settings.get(JARS, "").split(",") if jar]
        spark = _DELTA | {
            "spark.master": "local[2]",
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.address": HOST,
            "spark.connect.grpc.binding.port": str(self.connect_port),
            # With --packages the Thrift server's own sessions would not find Delta's classes; and
            # executors elsewhere get them as jars.
            "spark.driver.extraClassPath": ":".join(jars),
            "spark.jars": ",".join(jars),
            **{key: value for key, value in settings.items() if key not in (PACKAGES, JARS)},
        }
        command = [
            str(SPARK / "bin" / "spark-submit"),
            *(part for key, value in spark.items() for part in ("--conf", f"{key}={value}")),
            *("--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"),
            "spark-internal",
            *(part for key, value in hive.items() for part in ("--hiveconf", f"{key}={value}")),
        ]
        self._process = launched(command, folder, self.log)

    @property
    def connect_url(self) -> str:
        return f"sc://{HOST}:{self.connect_port}/"

    def target(self, method: str) -> dict[str, object]:
        """What a profile says to reach it."""
        port = self.thrift_port if method == "thrift" else self.connect_port
        return {"host": HOST, "port": port, "user": "dbt"}

    def wait(self) -> None:
        """Until it answers. Raises RuntimeError with its log where it does not."""
        answers(self._process, (self.thrift_port, self.connect_port), self.log)

    def stop(self) -> None:
        ended(self._process)


def launched(
    command: list[str], folder: Path, log: Path, settings: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """A process, in a group of its own: Spark's scripts start others.

    settings: variables of its environment.
    """
    env = os.environ | {"SPARK_HOME": str(SPARK), "PYSPARK_PYTHON": sys.executable}
    env |= settings or {}
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            env=env,
            start_new_session=True,
        )


def ended(process: subprocess.Popen[bytes], first: signal.Signals = signal.SIGTERM) -> None:
    """End a process and those it started, by force where it does not end by itself."""
    for sign in (first, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(20)
            break
        except subprocess.TimeoutExpired:
            continue


@contextmanager
def hanging(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Let a server answer nobody for a while: connections stay open, as to a machine that hangs."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def during(fault: AbstractContextManager[None], after: float, seconds: float) -> Timer:
    """Let a fault begin later and last some seconds, while the caller goes on."""

    def happen() -> None:
        with fault:
            time.sleep(seconds)

    timer = Timer(after, happen)
    timer.start()
    return timer


def answers(process: subprocess.Popen[bytes], ports: tuple[int, ...], log: Path) -> None:
    """Wait until something listens on each of the ports."""
    deadline = time.monotonic() + _PATIENCE
    for port in ports:
        while True:
            try:
                socket.create_connection((HOST, port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    said = log.read_text("utf-8", "replace")[-4000:]
                    raise RuntimeError(f"Nothing answers on port {port}:\n{said}") from None
                time.sleep(0.2)


def free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def jars_of(package: str) -> list[Path]:
    """The jars of Maven coordinates, those of its group and version, as an embedded Spark fetches
    them."""
    found = _fetched(package)
    if not found:
        subprocess.run([sys.executable, "-c", _FETCH, package], check=True)
        found = _fetched(package)
    return found


def _fetched(package: str) -> list[Path]:
    group, _, version = package.split(":")
    jars = [
        jar
        for folder in sorted(Path.home().glob(".ivy2*/jars"))
        for jar in folder.glob(f"{group}_*-{version}.jar")
    ]
    return list({jar.name: jar for jar in jars}.values())
