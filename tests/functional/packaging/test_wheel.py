"""The sdist and the wheel that is built from it: complete, and enough for `dbt debug` in an
environment that has nothing else of it."""

import shutil
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.__version__ import version
from tests.functional.processes import run, write_project

REPOSITORY = Path(__file__).parents[3]
ABOUT = ("README.md", "LICENSE", "SECURITY.md", "CHANGELOG.md")


@pytest.fixture(autouse=True)
def _alone(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with start_of_spark():
        yield


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make dist` builds it, the wheel from the sdist."""
    # From a copy, so that no file of an earlier build gets in.
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(REPOSITORY / "dbt", source / "dbt")
    for name in (*ABOUT, "setup.py", "pyproject.toml", "MANIFEST.in"):
        shutil.copy(REPOSITORY / name, source)
    run(sys.executable, "-m", "build", "--no-isolation", cwd=source)
    return source / "dist"


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (made,) = dist.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def files() -> set[str]:
    """The files of the package, from the repository's root."""
    return {
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "dbt").rglob("*")
        if path.suffix in {".py", ".sql", ".yml", ".typed", ".html"}
    }


def test_the_sdist_holds_every_file(dist: Path, files: set[str]) -> None:
    (made,) = dist.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert files | {*ABOUT, "setup.py", "pyproject.toml"} <= names
    assert not [name for name in names if name.startswith(("tests", "docs"))]


def test_the_wheel_has_the_metadata_of_a_registry(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (about,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        said = archive.read(about).decode()
        names = archive.namelist()
    assert "\nName: dbt-ivm-spark\n" in said
    assert f"\nVersion: {version}\n" in said
    assert "License: Apache-2.0" in said.splitlines()
    assert "\nDescription-Content-Type: text/markdown\n" in said
    assert (REPOSITORY / "README.md").read_text().strip() in said
    assert [name for name in names if name.endswith("licenses/LICENSE")]


def test_the_wheel_holds_every_file_and_owns_no_namespace(wheel: Path, files: set[str]) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert files <= names
    assert not {"dbt/__init__.py", "dbt/adapters/__init__.py", "dbt/include/__init__.py"} & names
    assert not [name for name in names if name.startswith("tests")]


def test_dbt_debug_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
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
