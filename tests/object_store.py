"""An S3 server on this machine: moto's, in a process of its own, with its objects in memory."""

from __future__ import annotations

import signal
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from pathlib import Path

from tests.spark_server import HOST, answers, ended, free_port, hanging, launched

BUCKET = "lake"
SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
_HADOOP = {"4.0": "3.4.1", "4.1": "3.4.2", "4.2": "3.5.0"}
"""The Hadoop that each pyspark brings; hadoop-aws has to be of the same version."""
_FOREVER = 1_000_000_000


class ObjectStore:
    """Attributes:
    settings: `server_side_parameters` of a Spark whose tables are in the store.
    """

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self._url = f"http://{HOST}:{port}"
        log = folder / "store.log"
        command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)]
        self._process = launched(command, folder, log)
        answers(self._process, (port,), log)
        self._send(f"/{BUCKET}", "PUT")
        hadoop = _HADOOP[version("pyspark")[:3]]
        s3a = {
            "endpoint": self._url,
            "endpoint.region": "us-east-1",
            "path.style.access": "true",
            "access.key": "AKIAIOSFODNN7EXAMPLE",
            "secret.key": SECRET,
            # A store that is away is tried again for seconds, not for minutes.
            "connection.establish.timeout": "2s",
            "connection.timeout": "4s",
            "attempts.maximum": "2",
            "retry.limit": "2",
            "retry.interval": "100ms",
        }
        self.settings = {
            **{f"spark.hadoop.fs.s3a.{key}": value for key, value in s3a.items()},
            "spark.sql.warehouse.dir": f"s3a://{BUCKET}/warehouse",
            "spark.jars.packages": f"org.apache.hadoop:hadoop-aws:{hadoop}",
        }

    def away(self) -> AbstractContextManager[None]:
        return hanging(self._process)

    @contextmanager
    def without_rights(self) -> Iterator[None]:
        """Take no key, as when the credentials have expired."""
        self._send("/moto-api/reset-auth", "POST", b"0")
        try:
            yield
        finally:
            self._send("/moto-api/reset-auth", "POST", str(_FOREVER).encode())

    def stop(self) -> None:
        ended(self._process, signal.SIGKILL)

    def _send(self, path: str, method: str, body: bytes | None = None) -> None:
        plain = {"Content-Type": "text/plain"}
        request = urllib.request.Request(f"{self._url}{path}", body, plain, method=method)
        with urllib.request.urlopen(request, timeout=10):
            pass
