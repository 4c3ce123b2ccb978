"""Two dbt processes, each with a Spark of its own, on one Hive metastore in PostgreSQL: they
refresh different views of the same sources at the same time."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.budget import only_long
from tests.functional.kills.shop import header, on_schema
from tests.functional.kills.state import State
from tests.functional.kills.test_kills import PROFILE, environment
from tests.functional.metastore.postgres import Postgres, binaries
from tests.functional.metastore.views import VIEWS
from tests.functional.processes import PROJECT

ROUNDS = 8
SECONDS = 900


@pytest.fixture
def postgres(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[Postgres]:
    found = binaries()
    if found is None:
        pytest.skip("no PostgreSQL is installed")
    with start_of_spark():
        server = Postgres(found)
        yield server
        server.stop()


def start(name: str, folder: Path, postgres: Postgres) -> subprocess.Popen[bytes]:
    settings = postgres.settings | {"spark.sql.warehouse.dir": str(folder / "warehouse")}
    lines = [f'        {key}: "{value}"' for key, value in settings.items()]
    project = folder / name
    (project / "models").mkdir(parents=True)
    (project / "profiles.yml").write_text(PROFILE.rstrip() + "\n" + "\n".join(lines) + "\n")
    (project / "dbt_project.yml").write_text(PROJECT)
    for view, sql in VIEWS[name].items():
        (project / "models" / f"{view}.sql").write_text(
            header(view, refresh_policy="incremental") + on_schema(sql)
        )
    command = [sys.executable, "-m", "tests.functional.metastore.process", name, folder, ROUNDS]
    with (project / "output.txt").open("wb") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            cwd=project,
            env=environment(),
            stdout=output,
            stderr=output,
        )


@only_long
def test_two_processes_refresh_different_views(
    tmp_path: Path, postgres: Postgres, request: pytest.FixtureRequest
) -> None:
    processes = {name: start(name, tmp_path, postgres) for name in VIEWS}
    try:
        ended = {name: process.wait(SECONDS) for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()
    said = {name: (tmp_path / name / "output.txt").read_text()[-3000:] for name in VIEWS}
    assert ended == dict.fromkeys(VIEWS, 0), said

    state = State(tmp_path / "notes")
    compared = state.notes("compared")
    assert {fact["view"] for fact in compared} == {v for views in VIEWS.values() for v in views}
    assert all(fact["equal"] and fact["rows"] for fact in compared), compared
    kinds = Counter(kind for fact in state.notes("kinds") for kind in fact.values())
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        request.config.get_terminal_writer().line(f"\n{ROUNDS} rounds: {dict(kinds)}")
    assert kinds["initial"] == 1, "of the view over the other's view, in the first round"
    # A run may find that of what a view reads nothing has moved since its last.
    assert set(kinds) <= {"initial", "incremental", "none"}
    assert kinds["incremental"] >= 4 * ROUNDS - 4
