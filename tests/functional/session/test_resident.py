"""A Spark that stays between dbt processes (`keep_spark`): one project, told as a story."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dbt.adapters.ivm_spark.session.place import Note, Place
from tests.budget import only_long
from tests.functional.processes import CONSOLE, PROJECT, environment

PROFILE = """
shop:
  target: dev
  outputs:
    dev:
      type: ivm_spark
      method: session
      schema: analytics
      threads: 2
      keep_spark: {keep}
      class_archive: false
      server_side_parameters:
        spark.driver.memory: {memory}
        spark.driver.extraJavaOptions: -XX:+UseSerialGC -XX:TieredStopAtLevel=1
        spark.sql.shuffle.partitions: "1"
"""
SUMS = """{{ config(materialized='ivm', refresh_policy='incremental') }}
select k, sum(v) as total from {{ ref('facts') }} group by k
"""
FACTS = """{{ config(materialized='incremental') }}
select 'a' as k, cast({{ var('v', 1) }} as int) as v
"""
OTHER = "{{ config(materialized='table') }} select 1 as one"
CLIENT = """
import sys
from dbt.adapters.ivm_spark.session.handle import SessionHandle
import yaml
dev = yaml.safe_load(open("profiles.yml"))["shop"]["outputs"]["dev"]
given = {key: str(value) for key, value in dev["server_side_parameters"].items()}
session = SessionHandle({"spark.sql.ansi.enabled": "false", **given}, keep=3600).session
print(session.sql("select 1").collect()[0][0], flush=True)
sys.stdin.read()
print(session.sql("select 2").collect()[0][0], flush=True)
"""
REPOSITORY = Path(__file__).parents[3]


class Project:
    """A dbt project whose processes share a cache folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "shop"
        self.cache = folder / "cache"
        (self.folder / "models").mkdir(parents=True)
        (self.folder / "dbt_project.yml").write_text(PROJECT)
        for name, sql in {"facts": FACTS, "sums": SUMS, "other": OTHER}.items():
            (self.folder / "models" / f"{name}.sql").write_text(sql)
        self.profile()

    def profile(self, keep: str = "1h", memory: str = "1g") -> None:
        (self.folder / "profiles.yml").write_text(PROFILE.format(keep=keep, memory=memory))

    def popen(self, *command: str, **more: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=environment(XDG_CACHE_HOME=str(self.cache), PYTHONPATH=str(REPOSITORY)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **more,
        )

    def dbt(self, *arguments: str) -> subprocess.Popen[str]:
        target = f"target_{time.monotonic_ns()}"
        return self.popen("-m", "dbt.cli.main", "run", "--target-path", target, *arguments)

    def run(self, *arguments: str, ok: bool = True) -> str:
        process = self.dbt(*arguments)
        output, _ = process.communicate(timeout=300)
        assert (process.returncode == 0) == ok, output
        return output

    def responses(self) -> dict[str, Any]:
        newest = max(self.folder.glob("target_*/run_results.json"), key=lambda p: p.stat().st_mtime)
        results = json.loads(newest.read_text())["results"]
        return {r["unique_id"].split(".")[-1]: r["adapter_response"] for r in results}

    def console(self, *arguments: str, code: int = 0) -> str:
        process = self.popen(*CONSOLE, *arguments)
        output, _ = process.communicate(timeout=100)
        assert process.returncode == code, output
        return output

    @property
    def notes(self) -> list[Path]:
        return list((self.cache / "dbt-ivm-spark" / "sparks").glob("*/spark.json"))

    @property
    def note(self) -> Note:
        (path,) = self.notes
        return Note.from_json(path.read_text())

    @contextmanager
    def client(self) -> Iterator[None]:
        """Another process that uses the Spark meanwhile."""
        process = self.popen("-c", CLIENT, stdin=subprocess.PIPE)
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "1\n", process.stdout.read()
        yield
        assert process.communicate(timeout=60)[0] == "2\n"


@pytest.fixture(scope="module")
def project(
    tmp_path_factory: pytest.TempPathFactory,
    start_of_spark: Callable[[], AbstractContextManager[None]],
) -> Iterator[Project]:
    project = Project(tmp_path_factory.mktemp("resident"))
    with start_of_spark():
        yield project
        project.console("stop", "--force")


@pytest.fixture
def kept(project: Project) -> Project:
    """The project, with a Spark that runs."""
    if not project.notes:
        project.run()
    return project


def is_running(process: int) -> bool:
    """Whether a process runs; one that has ended and is not yet awaited does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition: Callable[[], bool], seconds: float = 40) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_two_dbt_processes_start_one_spark_and_work_at_once(project: Project) -> None:
    assert "No Spark is kept" in project.console("status")
    both = [project.dbt("-s", models) for models in ("facts sums", "other")]
    for process in both:
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output
    assert is_running(project.note.jvm)
    assert is_running(project.note.keeper)


def test_only_its_owner_can_read_the_secret(kept: Project) -> None:
    (path,) = kept.notes
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert kept.note.secret not in kept.console("status")


def test_a_later_process_attaches_and_has_the_fast_paths(kept: Project) -> None:
    before = kept.note
    kept.run("-s", "facts", "sums", "--vars", "v: 2")
    assert kept.note == before
    response = kept.responses()["sums"]
    assert response["refresh_kind"] == "incremental"
    assert response["committed_by"] == "transaction"


@only_long
def test_status_says_what_runs(kept: Project) -> None:
    with kept.client():
        assert "in use" in kept.console("status")
    output = kept.console("status")
    assert str(kept.folder / "spark-warehouse") in output
    assert "1g of memory, unused, ends 60 min after its last use" in output


def test_stop_refuses_while_a_process_uses_the_spark(kept: Project) -> None:
    with kept.client():
        assert "--force" in kept.console("stop", code=1)
    assert "No Spark is kept for" in kept.console("stop", "elsewhere")
    assert is_running(kept.note.jvm)


@only_long
def test_other_settings_replace_the_kept_spark_unless_it_is_in_use(kept: Project) -> None:
    before = kept.note
    with kept.client():
        kept.profile(memory="1500m")
        output = kept.run("-s", "other", ok=False)
        assert "started with another spark.driver.memory" in output
        kept.profile()
    kept.profile(memory="1500m")
    output = kept.run("-s", "other")
    assert "Starting Spark again: it ran with another spark.driver.memory" in output
    assert kept.note.jvm != before.jvm
    assert not is_running(before.jvm)


@pytest.mark.parametrize("killed", ["jvm", pytest.param("keeper", marks=only_long)])
def test_a_killed_spark_or_keeper_is_replaced(kept: Project, killed: str) -> None:
    before = kept.note
    os.kill(getattr(before, killed), signal.SIGKILL)
    wait_for(lambda: not is_running(before.jvm) and not is_running(before.keeper))
    kept.run("-s", "other")
    assert kept.note.jvm != before.jvm


@only_long
def test_a_spark_that_does_not_answer_is_replaced(kept: Project) -> None:
    before = kept.note
    os.kill(before.jvm, signal.SIGSTOP)
    assert "does not answer" in kept.run("-s", "other")
    assert kept.note.jvm != before.jvm
    assert not is_running(before.jvm)


def test_a_kept_spark_ends_after_its_idle_time(kept: Project) -> None:
    kept.profile(keep="2s")
    kept.run("-s", "other")
    before = kept.note
    wait_for(lambda: not kept.notes and not is_running(before.jvm))
    assert "No Spark is kept" in kept.console("status")
    kept.profile()


def test_stop_ends_the_kept_spark(kept: Project) -> None:
    before = kept.note
    assert "Stopped the Spark of" in kept.console("stop")
    assert not is_running(before.jvm)


@only_long
def test_a_spark_that_does_not_start_says_why(project: Project) -> None:
    project.profile(memory="nothing")
    assert "Spark did not start" in project.run("-s", "other", ok=False)
    assert not project.notes


@only_long
def test_a_spark_that_hangs_during_its_cleanup_is_replaced(project: Project) -> None:
    project.profile()
    project.run("-s", "other")
    before = project.note
    for process in (before.jvm, before.keeper):
        os.kill(process, signal.SIGSTOP)
    place = Place(project.notes[0].parent)
    with place.without_clients() as idle:
        assert idle
        assert "does not answer" in project.run("-s", "other")
    assert project.note.jvm != before.jvm
