"""The wheel: complete, and enough for `dbt debug` in an environment that has nothing else of it."""

import shutil
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.functional.processes import run, write_project

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _alone(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with start_of_spark():
        yield


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # From a copy, so that no file of an earlier build gets in.
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(REPOSITORY / "dbt", source / "dbt")
    for name in ("setup.py", "pyproject.toml", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", cwd=source)
    (made,) = source.glob("dist/*.whl")
    return made


def test_it_holds_every_file_and_owns_no_namespace(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = REPOSITORY / "dbt"
    files = {
        path.relative_to(REPOSITORY).as_posix()
        for path in package.rglob("*")
        if path.suffix in {".py", ".sql", ".yml", ".typed", ".html"}
    }
    assert files <= names
    assert not {"dbt/__init__.py", "dbt/adapters/__init__.py", "dbt/include/__init__.py"} & names
    assert not [name for name in names if name.startswith("tests")]


def test_dbt_debug_runs_from_it(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    where = "import site; print(site.getsitepackages()[0])"
    site = Path(run(python, "-c", where, cwd=tmp_path).strip())
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps"]
    run(*pip, wheel, cwd=tmp_path)
    # The dependencies are those of this environment; it is on the path after the wheel's.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    which = "import dbt.adapters.ivm_spark as package; print(package.__file__)"
    assert Path(run(python, "-c", which, cwd=tmp_path).strip()).is_relative_to(site)
    project = write_project(tmp_path / "project")
    output = run(python, "-m", "dbt.cli.main", "debug", cwd=project)
    assert "All checks passed!" in output
    assert "adapter type: ivm_spark" in output
