"""Running a command as a user would: in a process, a folder and an environment of its own."""

import os
import subprocess
from pathlib import Path

PROFILE = """
shop: {target: dev, outputs: {dev: {type: ivm_spark, method: session, schema: analytics}}}
"""
PROJECT = """
name: shop
profile: shop
flags: {send_anonymous_usage_stats: false}
"""


def write_project(folder: Path, **models: str) -> Path:
    """A dbt project with the profile of the README."""
    (folder / "models").mkdir(parents=True)
    (folder / "profiles.yml").write_text(PROFILE)
    (folder / "dbt_project.yml").write_text(PROJECT)
    for name, sql in models.items():
        (folder / "models" / f"{name}.sql").write_text(sql)
    return folder


CONSOLE = ("-c", "from dbt.adapters.ivm_spark.commands.console import main; main()")
"""Python's arguments for the command `dbt-ivm`."""


def environment(**more: str) -> dict[str, str]:
    """The environment of such a process: this one's without what speaks to dbt, and more."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("DBT_")}
    inherited.pop("PYTHONPATH", None)
    return inherited | more


def run(*command: str | Path, cwd: Path, timeout: float = 300, **more: str) -> str:
    """What the command printed, stdout and stderr; it has to succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
