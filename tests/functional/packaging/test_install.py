"""What a user does: installs the wheel or the sdist with all it needs into an empty environment,
and runs a first model twice."""

from __future__ import annotations

import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.budget import only_long
from tests.functional.packaging.test_wheel import dist
from tests.functional.processes import run, write_project

__all__ = ["dist"]

HOOKS = """
on-run-start:
  - create schema if not exists analytics
  - create table if not exists analytics.orders (customer string, amount int) using delta
  - insert into analytics.orders values ('a', 1), ('b', 2)
"""
MODEL = """{{ config(materialized='ivm', refresh_policy='incremental') }}
select customer, sum(amount) as revenue from analytics.orders group by customer"""


@pytest.fixture(autouse=True)
def _alone(start_of_spark: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with start_of_spark():
        yield


@only_long
@pytest.mark.parametrize("kind", ["whl", "tar.gz"])
def test_an_installed_package_runs_a_first_model(dist: Path, kind: str, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    (made,) = dist.glob(f"*.{kind}")
    python = environment / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", made, cwd=tmp_path, timeout=900)
    project = write_project(tmp_path / "project", revenue=MODEL)
    with (project / "dbt_project.yml").open("a") as settings:
        settings.write(HOOKS)
    dbt = environment / "bin" / "dbt"
    assert "INITIAL 2 rows" in run(dbt, "run", cwd=project)
    said = run(dbt, "run", cwd=project)
    assert "INCREMENTAL +0 ~2 -0" in said, said
    assert sys.prefix not in said
