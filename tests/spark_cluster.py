"""A standalone Spark cluster on this machine: a master and workers, each a process of its own."""

from __future__ import annotations

import argparse
import signal
import subprocess
import tempfile
from itertools import count
from pathlib import Path

from tests.spark_server import HOST, LOOPBACK, SPARK, answers, ended, free_port, launched

WORKERS = 2


class SparkCluster:
    """Attributes:
    url: what `spark.master` says.
    settings: `server_side_parameters` of a driver on this machine.
    """

    def __init__(self, folder: Path, memory: str = "1g") -> None:
        self._folder, self._memory, port = folder, memory, free_port()
        self.url = f"spark://{HOST}:{port}"
        self.settings = {
            "spark.master": self.url,
            **LOOPBACK,
            "spark.executor.memory": memory,
            # A fallen worker's task is begun anew at once, and its host, which is also the other
            # worker's, is not left out for it.
            "spark.excludeOnFailure.enabled": "false",
        }
        log = folder / "master.log"
        address = ("--host", HOST, "--port", str(port))
        self._master = launched(self._daemon("master.Master", *address), folder, log)
        answers(self._master, (port,), log)
        self._numbers = count()
        self._workers = [self._worker() for _ in range(WORKERS)]

    def kill_worker(self) -> None:
        """End a worker and its executor at once, as a machine that fails; another takes its place,
        as on a cluster that is looked after."""
        ended(self._workers.pop(0), signal.SIGKILL)
        self._workers.append(self._worker())

    def executors(self) -> int:
        """How many there have been, each in a folder of its worker's."""
        return len(list(self._folder.glob("worker*/app-*/*")))

    def stop(self) -> None:
        for process in (*self._workers, self._master):
            ended(process)

    def _worker(self) -> subprocess.Popen[bytes]:
        number = next(self._numbers)
        options = ("--host", HOST, "--cores", "1", "--memory", self._memory)
        work = self._folder / f"worker{number}"
        command = self._daemon("worker.Worker", *options, "--work-dir", str(work), self.url)
        return launched(command, self._folder, self._folder / f"worker{number}.log")

    @staticmethod
    def _daemon(name: str, *options: str) -> list[str]:
        spark_class = str(SPARK / "bin" / "spark-class")
        return [spark_class, f"org.apache.spark.deploy.{name}", "--webui-port", "0", *options]


def main() -> None:
    """Start a cluster and end it with Ctrl-C."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--memory", default="1g", help="of each worker")
    with tempfile.TemporaryDirectory() as folder:
        cluster = SparkCluster(Path(folder), parser.parse_args().memory)
        print(f"spark.master: {cluster.url}; end it with Ctrl-C")  # noqa: T201
        try:
            signal.pause()
        except KeyboardInterrupt:
            cluster.stop()


if __name__ == "__main__":
    main()
