"""`kill -9` of dbt at random moments, again and again on one warehouse (`make kill-test`).

IVM_KILLS says how often, IVM_SEED when; the seed is printed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.session.place import Note
from tests.budget import only_long
from tests.functional.kills.state import State
from tests.functional.processes import CONSOLE, PROJECT, environment, run
from tests.object_store import BUCKET, ObjectStore

REPOSITORY = Path(__file__).parents[3]
KILLS = int(os.environ.get("IVM_KILLS", "5"))
SEED = int(os.environ.get("IVM_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
START_SECONDS = 240
PROFILE = """
shop:
  target: dev
  outputs:
    dev:
      type: ivm_spark
      method: session
      schema: analytics
      threads: 3
      server_side_parameters:
        spark.driver.memory: 2g
        spark.driver.extraJavaOptions: -XX:+UseSerialGC -XX:TieredStopAtLevel=1
        spark.sql.shuffle.partitions: "1"
        spark.databricks.delta.snapshotPartitions: "1"
        spark.sql.codegen.wholeStage: "false"
        spark.sql.codegen.factoryMode: NO_CODEGEN
        spark.sql.adaptive.enabled: "false"
"""


@pytest.fixture(autouse=True)
def _alone(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with start_of_spark():
        yield


@pytest.fixture(params=[False, True], ids=["own", "kept"])
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, object_store: ObjectStore | None
) -> Iterator[Path]:
    """A project's folder; dbt has a Spark of its own, or one that stays, and its tables in that
    folder or in a store."""
    (tmp_path / "models").mkdir()
    keep = "      keep_spark: 10m\n" if request.param else ""
    (tmp_path / "profiles.yml").write_text(PROFILE + in_store(object_store, tmp_path.name) + keep)
    (tmp_path / "dbt_project.yml").write_text(PROJECT)
    yield tmp_path
    run(sys.executable, *CONSOLE, "stop", "--force", cwd=tmp_path, **where(tmp_path))


def in_store(store: ObjectStore | None, name: str) -> str:
    """The lines of a profile that put the tables into a folder of a store."""
    if store is None:
        return ""
    return lines_of(store.settings | {"spark.sql.warehouse.dir": f"s3a://{BUCKET}/{name}"})


def lines_of(settings: dict[str, str]) -> str:
    """The lines that add settings to the profile."""
    return "".join(f'        {key}: "{value}"\n' for key, value in settings.items())


def where(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(REPOSITORY), "XDG_CACHE_HOME": str(folder / "cache")}


def kill_kept(folder: Path, dice: random.Random) -> str:
    """Kill Spark or its keeper, if one stays and as the dice say; what was killed."""
    for path in (folder / "cache").glob("dbt-ivm-spark/sparks/*/spark.json"):
        note = Note.from_json(path.read_text())
        what = dice.choice(("", "and the kept JVM", "and its keeper"))
        if what:
            victim = note.jvm if "JVM" in what else note.keeper
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        return what or "and not the kept JVM"
    return ""


def kill_once(folder: Path, state: State, seed: int, dice: random.Random) -> str:
    """Start the process, wait until its first run begins (before the first kill: has ended), and
    kill it somewhat later, mostly with its JVM, else the JVM has to notice; what was killed and in
    which of its runs."""
    before = len(state.notes("running"))
    with (folder / "output.txt").open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.functional.kills.process", str(seed)],
            cwd=folder,
            env=environment(**where(folder), DBT_SEND_ANONYMOUS_USAGE_STATS="false"),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            give_up = time.monotonic() + START_SECONDS
            while len(state.notes("running")) == before or not state.notes("ran"):
                assert process.poll() is None, (folder / "output.txt").read_text()[-3000:]
                assert time.monotonic() < give_up, "no run began"
                time.sleep(0.02)
            time.sleep(dice.uniform(0, max(state.notes("ran"))))
        finally:
            whole = dice.random() < 0.7
            (os.killpg if whole else os.kill)(process.pid, signal.SIGKILL)
            process.wait()
            kept = kill_kept(folder, dice)
    runs = len(state.notes("running")) - before
    what = "with its JVM" if whole else "without its JVM"
    what = kept or what
    return f"{what}, {'in the first run' if runs == 1 else 'later'}"


@only_long
def test_kills_lose_no_rows(folder: Path, request: pytest.FixtureRequest) -> None:
    state, dice = State(folder / "state"), random.Random(SEED)
    killed = Counter(kill_once(folder, state, dice.randrange(1, 10**6), dice) for _ in range(KILLS))
    found = Counter(seen for views in state.notes("found") for seen in views.values())
    report = (
        f"seed {SEED}: {KILLS} kills {dict(killed)}, {len(state.notes('ran'))} whole runs, "
        f"{sum(state.notes('reads'))} reads while runs went on; of the views after a kill "
        f"{dict(found)}; wrong: {len(state.notes('wrong'))}"
    )
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        request.config.get_terminal_writer().line("\n" + report)
    assert not state.notes("wrong"), (report, state.notes("wrong")[:5])

    said = run(sys.executable, "-m", "dbt.cli.main", "run", cwd=folder, **where(folder))
    assert "ERROR=0" in said
    compare = "from tests.functional.kills.compare import main; main()"
    assert "all equal" in run(sys.executable, "-c", compare, cwd=folder, **where(folder))
