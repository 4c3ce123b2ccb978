"""The demo on few rows: what it prints, and that the commands it suggests work."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.budget import only_long
from tests.functional.processes import CONSOLE, run

REPOSITORY = Path(__file__).parents[2]
VIEWS = (
    "revenue_by_day",
    "revenue_by_product",
    "revenue_by_customer",
    "revenue_by_country",
    "customers_by_day",
)


@pytest.fixture
def clone(
    tmp_path: Path, start_of_spark: Callable[[], AbstractContextManager[None]]
) -> Iterator[Path]:
    demo = REPOSITORY / "integration_project" / "demo"
    left = shutil.ignore_patterns("spark-warehouse", "metastore_db", "target", "logs")
    shutil.copytree(demo, tmp_path / "clone" / "demo", ignore=left)
    project = tmp_path / "clone" / "demo" / "dbt_project.yml"
    project.write_text(project.read_text().replace("2500000", "20000"))
    with start_of_spark():
        yield tmp_path / "clone"


@only_long
def test_the_demo_runs_and_the_commands_it_suggests_work(clone: Path) -> None:
    where = {"XDG_CACHE_HOME": str(clone.parent / "cache"), "PYTHONPATH": str(REPOSITORY)}
    said = run(sys.executable, "demo/demo.py", cwd=clone, **where)
    table = said[said.index("rows changed") :]
    for view in VIEWS:
        assert re.search(rf"^{view} +(full|incremental) ", table, re.MULTILINE), view
    assert "Each view equals its query." in said
    folder, *commands = re.findall(r"^  (\S.*)$", said[said.index("Try next") :], re.MULTILINE)
    assert folder == "cd demo"
    assert len(commands) == 3
    after = ""
    for command in commands:
        after += run("sh", "-c", f"{folder} && {command}", cwd=clone, **where)
    assert "Completed successfully" in after
    assert "revenue_by_day" in after
    assert "Stopped" in run(sys.executable, *CONSOLE, "stop", cwd=clone, **where)


def test_the_demo_is_in_the_makefile() -> None:
    said = subprocess.run(["make", "-n", "demo"], cwd=REPOSITORY, capture_output=True, text=True)
    assert "integration_project/demo/demo.py" in said.stdout
