"""Iceberg's REST catalog on this machine: the server of Iceberg's own tests, fetched by Maven."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.spark_server import HOST, SPARK, answers, ended, free_port, hanging, launched

_SERVER = "org.apache.iceberg.rest.RESTCatalogServer"
_JETTY = "12.1.5"
"""Of the same major version as the one that Iceberg 1.11 compiles its server with."""
_JARS = (
    "org.apache.iceberg:iceberg-open-api:{iceberg}:test-fixtures",
    "org.apache.iceberg:iceberg-core:{iceberg}",
    "org.apache.iceberg:iceberg-core:{iceberg}:tests",
    f"org.eclipse.jetty.ee10:jetty-ee10-servlet:{_JETTY}",
    f"org.eclipse.jetty.compression:jetty-compression-server:{_JETTY}",
    f"org.eclipse.jetty.compression:jetty-compression-gzip:{_JETTY}",
    "org.xerial:sqlite-jdbc:3.47.1.0",
    "org.slf4j:slf4j-simple:2.0.17",
)
"""What the server needs besides Hadoop's client, which pyspark brings. Its catalog is in SQLite."""
_POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId>
  <artifactId>iceberg-rest</artifactId>
  <version>1</version>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
_PARTS = ("groupId", "artifactId", "version", "classifier")


class IcebergRest:
    """Attributes:
    uri: where the server is.
    """

    def __init__(self, folder: Path, iceberg: str) -> None:
        """Start the server of this version of Iceberg, with its tables and its catalog in a folder.

        Raises RuntimeError with the log of Maven or of the server if it does not start.
        """
        self._folder, self._port, self._log = folder, free_port(), folder / "rest.log"
        self._classes = _classes(folder, iceberg)
        self.uri = f"http://{HOST}:{self._port}"
        self._process = self._started()

    def settings(self, catalog: str) -> dict[str, str]:
        """Return `server_side_parameters` of a Spark that has it under this name."""
        return {
            f"spark.sql.catalog.{catalog}": "org.apache.iceberg.spark.SparkCatalog",
            f"spark.sql.catalog.{catalog}.type": "rest",
            f"spark.sql.catalog.{catalog}.uri": self.uri,
            # A server that hangs is given up after seconds. By default Iceberg waits for ever.
            f"spark.sql.catalog.{catalog}.rest.client.connection-timeout-ms": "2000",
            f"spark.sql.catalog.{catalog}.rest.client.socket-timeout-ms": "4000",
        }

    @contextmanager
    def gone(self) -> Iterator[None]:
        """End the server for a while. Nothing listens at its port until it starts again."""
        ended(self._process, signal.SIGKILL)
        try:
            yield
        finally:
            self._process = self._started()

    def away(self) -> AbstractContextManager[None]:
        return hanging(self._process)

    def stop(self) -> None:
        ended(self._process, signal.SIGKILL)

    def _started(self) -> subprocess.Popen[bytes]:
        settings = {
            "CATALOG_WAREHOUSE": str(self._folder / "warehouse"),
            "CATALOG_URI": f"jdbc:sqlite:{self._folder / 'catalog.db'}",
            "CATALOG_REST_PORT": str(self._port),
        }
        command = [_java(), "-Xmx256m", "-XX:+UseSerialGC", "-cp", self._classes, _SERVER]
        process = launched(command, self._folder, self._log, settings)
        answers(process, (self._port,), self._log)
        return process


def _classes(folder: Path, iceberg: str) -> str:
    """Return the server's class path, as Maven finds it."""
    jars = [jar.format(iceberg=iceberg).split(":") for jar in _JARS]
    (folder / "pom.xml").write_text(_POM.format(dependencies="\n".join(map(_dependency, jars))))
    found = folder / "classes"
    goal = ("dependency:build-classpath", f"-Dmdep.outputFile={found}")
    maven = ["mvn", "--batch-mode", "--quiet", "--file", str(folder / "pom.xml"), *goal]
    said = subprocess.run(maven, capture_output=True, text=True, check=False)
    if said.returncode:
        raise RuntimeError(f"Maven did not find the jars of {_SERVER}:\n{said.stdout[-4000:]}")
    hadoop = sorted((SPARK / "jars").glob("hadoop-client-*.jar"))
    return os.pathsep.join((found.read_text().strip(), *map(str, hadoop)))


def _dependency(parts: list[str]) -> str:
    named = zip(_PARTS, parts, strict=False)
    return f"    <dependency>{''.join(f'<{n}>{part}</{n}>' for n, part in named)}</dependency>"


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"
