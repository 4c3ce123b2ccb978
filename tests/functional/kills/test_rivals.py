"""Two dbt processes refresh the same views at once, round after round (IVM_ROUNDS).

In an S3 store (`--store s3`), which keeps two drivers' commits apart by a log store of the tests'.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests import conditional_log_store
from tests.budget import only_long
from tests.functional.kills.shop import STEADY, header, on_schema
from tests.functional.kills.state import State
from tests.functional.kills.test_kills import PROFILE, REPOSITORY, environment, lines_of
from tests.functional.processes import PROJECT
from tests.object_store import BUCKET, ObjectStore

ROUNDS = int(os.environ.get("IVM_ROUNDS", "20"))
SECONDS = 120 + 60 * ROUNDS


@pytest.fixture(autouse=True)
def _alone(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with start_of_spark():
        yield


@pytest.fixture
def settings(object_store: ObjectStore | None, tmp_path: Path) -> dict[str, str]:
    """Where both have their tables, if it is not a folder of this machine."""
    if object_store is None:
        return {}
    return object_store.settings | conditional_log_store.settings(tmp_path)


def start(
    name: str, tables: str, meeting: Path, settings: dict[str, str]
) -> subprocess.Popen[bytes]:
    folder = meeting.parent / name
    (folder / "models").mkdir(parents=True)
    (folder / "profiles.yml").write_text(PROFILE + lines_of(settings))
    (folder / "dbt_project.yml").write_text(PROJECT)
    for view, sql in STEADY.items():
        text = header(view, location_root=tables) + on_schema(sql)
        (folder / "models" / f"{view}.sql").write_text(text)
    command = [sys.executable, "-m", "tests.functional.kills.rival", name, tables, meeting, ROUNDS]
    with (folder / "output.txt").open("wb") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env=environment(PYTHONPATH=str(REPOSITORY)),
            stdout=output,
            stderr=output,
        )


@only_long
def test_two_processes_commit_one_after_the_other(
    tmp_path: Path, settings: dict[str, str], request: pytest.FixtureRequest
) -> None:
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    tables = f"s3a://{BUCKET}/{tmp_path.name}" if settings else str(tmp_path / "tables")
    rivals = {name: start(name, tables, meeting, settings) for name in ("first", "second")}
    try:
        ended = {name: rival.wait(SECONDS) for name, rival in rivals.items()}
    finally:
        for rival in rivals.values():
            rival.kill()
    said = {name: (tmp_path / name / "output.txt").read_text()[-3000:] for name in rivals}
    assert ended == {"first": 0, "second": 0}, said
    state = State(meeting / "notes")
    assert not state.notes("wrong")
    rounds = [fact for fact in state.notes("rounds") if fact["name"] == "first"]
    assert len(rounds) == ROUNDS
    both = Counter(tuple(fact["commits"].values()) for fact in rounds)
    kinds = Counter(
        f"{fact['name']} {kind}"
        for fact in state.notes("rounds")
        for kind in fact["kinds"].values()
    )
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        request.config.get_terminal_writer().line(f"\n{ROUNDS} rounds: {both}, {kinds}")
    for fact in rounds:
        full = fact["turn"] % 2 == 1
        assert set(fact["commits"].values()) <= ({1, 2} if full else {1}), fact
