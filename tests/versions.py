"""Runs the tests that see most of Spark, Delta and dbt under other versions of these than
constraints.txt has: `make versions-test`.

Each set has an environment of its own, by each Python that pyproject.toml allows and this machine
has.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


class Versions:
    """What pip is told beside pyproject.toml; of all else it takes the newest that is allowed.

    alone: what it then installs without the dependencies of that.
    """

    def __init__(self, *requirements: str, alone: tuple[str, ...] = ()) -> None:
        self.requirements, self.alone = requirements, alone


SETS = {
    "oldest": Versions(
        "pyspark==4.0.1",
        "delta-spark==4.0.1",
        "dbt-core==1.11.0",
        "dbt-spark==1.11.0",
        "sqlglot==30.19.0",
    ),
    "newest": Versions(),
    # dbt-core 1.12 asks for a parser that it uses behind a flag only; see pyproject.toml.
    "newest-dbt": Versions("metricflow", "python-dotenv", alone=("dbt-core==1.12.6",)),
}
PYTHONS = ("python3.10", "python3.11", "python3.12", "python3.13")
TESTS = (
    "tests/unit",
    "tests/functional/adapter",
    "tests/functional/session",
    *(f"tests/functional/ivm/test_{name}.py" for name in "protocol differential types".split()),
)
SHOWN = ("pyspark", "delta-spark", "dbt-core", "dbt-adapters", "dbt-spark", "sqlglot")


def main() -> int:
    """0 if all tests passed under all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--pythons", nargs="+", help="names or paths")
    parser.add_argument("--tests", nargs="+", default=TESTS)
    given = parser.parse_args()
    pythons = given.pythons or [p for name in PYTHONS if (p := shutil.which(name))]
    failed = [
        f"{name} on {Path(python).name}"
        for python in pythons or [sys.executable]
        for name in given.sets
        if not _passes(python, name, given.tests)
    ]
    sys.stdout.write(f"failed: {', '.join(failed) or 'none'}\n")
    return bool(failed)


def _passes(python: str, name: str, tests: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        _run(python, "-m", "venv", folder)
        inside = str(Path(folder) / "bin" / "python")
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        wanted = SETS[name]
        _run(inside, *install, "--editable", f"{REPOSITORY}[dev]", *wanted.requirements)
        if wanted.alone:
            _run(inside, *install, "--no-deps", *wanted.alone)
        _run(inside, "--version")
        versions = "from importlib.metadata import version; print(*(f'{n}=={version(n)}' for n in "
        _run(inside, "-c", f"{versions}{SHOWN}))")
        command = [inside, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *tests]
        return subprocess.run(command, cwd=REPOSITORY).returncode == 0


def _run(*command: str) -> None:
    subprocess.run(command, cwd=REPOSITORY, check=True)


if __name__ == "__main__":
    sys.exit(main())
