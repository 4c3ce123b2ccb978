"""dbt and Spark in this process, in a folder of their own, with a meter on what they do."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg

from benchmarks.cost import Run, added, files_of
from benchmarks.meter import Meter, metered
from benchmarks.tpch.data import SOURCES_YML
from dbt.adapters.ivm_spark.session.handle import SessionHandle

SCHEMA = "bench"
PROJECT = Path(__file__).parent / "project"
COMMITS = 20
"""Newest commits of a table that are looked at after a refresh."""


class LabError(RuntimeError):
    """dbt failed; the message has what it said, `runs` by model what went well nevertheless."""

    def __init__(self, message: str, runs: Mapping[str, Run] | None = None) -> None:
        super().__init__(message)
        self.runs = dict(runs or {})


class _Nodes:
    """Meters each node of a run: dbt tells when it starts and when it has finished. What Spark does
    in between belongs to the node, as long as there is one thread.

    seconds: what the metering itself took.
    """

    def __init__(self) -> None:
        self.meters: dict[str, Meter] = {}
        self.on = False
        self.seconds = 0.0
        self._open = ExitStack()

    def __call__(self, event: EventMsg) -> None:
        started = time.perf_counter()
        if self.on and event.info.name == "NodeStart":
            name = event.data.node_info.node_name
            self.meters[name] = self._open.enter_context(metered())
        elif event.info.name == "NodeFinished":
            self._open.close()
        self.seconds += time.perf_counter() - started


class Lab:
    """A dbt project with Delta tables around it, and one Spark for both.

    `models` are the texts of dbt models by name; `sources` is the text of a YAML file with sources
    besides those of TPC-H. The working directory becomes the lab's, because
    that is where the embedded Spark puts its tables; it is deleted when the block ends, and Spark
    goes on until the process does.
    """

    def __init__(
        self,
        folder: Path,
        models: Mapping[str, str],
        heap: str | None = None,
        threads: int = 1,
        sources: str = "",
        time_zone: str | None = None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lab_", dir=folder))
        self._came_from = Path.cwd()
        given = {"spark.driver.memory": heap, "spark.sql.session.timeZone": time_zone}
        self.parameters = {key: value for key, value in given.items() if value}
        os.chdir(self.folder)
        self._write(models, threads, sources)
        self._nodes = _Nodes()
        # parsed once: every run is of the same project
        manifest = self._success(dbtRunner().invoke(["--quiet", "parse"]), "parse").result
        self._runner = dbtRunner(manifest=manifest, callbacks=[self._nodes])
        self.dbt("run-operation", "start")
        self._handle = SessionHandle(self.parameters)

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        os.chdir(self._came_from)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, models: Mapping[str, str], threads: int, sources: str) -> None:
        shutil.copytree(PROJECT, self.folder, dirs_exist_ok=True)
        parameters = ", ".join(f"{key}: '{value}'" for key, value in self.parameters.items())
        (self.folder / "profiles.yml").write_text(
            f"bench: {{target: dev, outputs: {{dev: {{type: ivm_spark, schema: {SCHEMA}, "
            f"threads: {threads}, server_side_parameters: {{{parameters}}}}}}}}}\n"
        )
        (self.folder / "models" / "sources.yml").write_text(SOURCES_YML)
        if sources:
            (self.folder / "models" / "more_sources.yml").write_text(sources)
        for name, text in models.items():
            (self.folder / "models" / f"{name}.sql").write_text(text)

    def dbt(self, *arguments: str) -> Any:
        """Run a dbt command and return its result. Raises LabError if it fails."""
        result = self._runner.invoke(["--quiet", *arguments])
        return self._success(result, " ".join(arguments)).result

    @staticmethod
    def _success(result: Any, command: str, runs: Mapping[str, Run] | None = None) -> Any:
        if not result.success:
            said = [result.exception] if result.exception else []
            failed = (r for r in getattr(result.result, "results", ()) if r.status == "error")
            said += [f"{r.node.name}: {r.message}" for r in failed]
            raise LabError(f"dbt {command} failed: " + "\n".join(map(str, said)), runs)
        return result

    def refresh(self, chains: Mapping[str, Sequence[str]]) -> dict[str, Run]:
        """Run all nodes of some models at once, each node on its own meter; by model the cost of
        its nodes, without dbt's start. Raises LabError, whose runs are without their files."""
        nodes = list(dict.fromkeys(node for chain in chains.values() for node in chain))
        before = {n: (table, self.version(table)) for n in nodes if (table := self.stored(n))}
        done, ended = self._ran(nodes)
        runs = {
            model: Run(added(done[n].cost for n in chain), done[chain[-1]].said)
            for model, chain in chains.items()
            if done.keys() >= set(chain)
        }
        self._success(ended, f"run --select {' '.join(nodes)}", runs)
        return {
            model: self._with_files(run, *(before[n] for n in chains[model] if n in before))
            for model, run in runs.items()
        }

    def run(self, nodes: Sequence[str]) -> dict[str, Run]:
        """Run nodes at once, without a look at their files, and return the run of each. Raises
        LabError."""
        runs, ended = self._ran(nodes)
        self._success(ended, f"run --select {' '.join(nodes)}", runs)
        return runs

    @property
    def metering(self) -> float:
        """The seconds of the newest run that went into metering its nodes."""
        return self._nodes.seconds

    def _ran(self, nodes: Sequence[str]) -> tuple[dict[str, Run], Any]:
        """The runs of the nodes that went well, by node, and what dbt returned."""
        meters = self._nodes.meters
        meters.clear()
        self._nodes.seconds = 0.0
        self._nodes.on = True
        try:
            ended = self._runner.invoke(["--quiet", "run", "--select", *nodes])
        finally:
            self._nodes.on = False
        runs = {
            r.node.name: Run(
                replace(meters[r.node.name].cost, seconds=r.execution_time),
                dict(r.adapter_response),
            )
            for r in getattr(ended.result, "results", ())
            if r.status == "success"
        }
        return runs, ended

    def send(self, statements: Iterable[str]) -> None:
        """Send statements in a session beside dbt's; a query's rows are computed and dropped."""
        for statement in statements:
            self._handle.execute(statement)
            self._handle.drain()

    def measure(self, statements: Iterable[str], writes: str | None = None) -> Run:
        """Send statements on a meter; `writes` is the table whose files count."""
        version = self.version(writes) if writes is not None else 0
        with metered() as meter:
            self.send(statements)
        run = Run(meter.cost)
        return run if writes is None else self._with_files(run, (writes, version))

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query."""
        self._handle.execute(query)
        return [row.asDict() for row in self._handle.fetchall()]

    def files(self, table: str) -> list[str]:
        """The paths of a table's data files at its newest version, without deletion vectors."""
        found = self.rows(f"select distinct _metadata.file_path as file from {SCHEMA}.{table}")
        return sorted(unquote(urlparse(row["file"]).path) for row in found)

    def columns(self, relation: str) -> list[str]:
        """The names of a relation's columns."""
        self._handle.execute(f"select * from {SCHEMA}.{relation}")
        return [column[0] for column in self._handle.description]

    def version(self, table: str) -> int:
        """The newest version of a Delta table; -1 before it is there."""
        if not self.exists(table):
            return -1
        return int(self.history(table, 1)[0]["version"])

    def history(self, table: str, commits: int) -> list[dict[str, Any]]:
        """The newest commits of a table, newest first."""
        return self.rows(f"describe history {SCHEMA}.{table} limit {commits}")

    def exists(self, table: str) -> bool:
        return bool(self._handle.session.catalog.tableExists(f"{SCHEMA}.{table}"))

    def stored(self, node: str) -> str | None:
        """The Delta table behind a model: the state of an ivm model, else the model itself."""
        return next((name for name in (f"{node}__ivm", node) if self.exists(name)), None)

    def _with_files(self, run: Run, *before: tuple[str, int]) -> Run:
        """The run with the files of tables' commits since their versions before."""
        gained, lost = files_of(m for table, version in before for m in self._since(table, version))
        return replace(run, cost=replace(run.cost, files_added=gained, files_removed=lost))

    def _since(self, table: str, version: int) -> list[dict[str, str]]:
        """The operation metrics of the commits after a version."""
        commits = self.history(table, COMMITS)
        return [commit["operationMetrics"] for commit in commits if commit["version"] > version]
