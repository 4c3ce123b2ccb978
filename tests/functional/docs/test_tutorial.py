"""docs/tutorial.md is followed from its first command to its last, on a copy of the shop,
and says what dbt says; then the statements of the other pages run on the same shop."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from dbt.adapters.factory import reset_adapters
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.budget import budget
from tests.functional.conftest import TINY_TABLES
from tests.unit.docs.blocks import PAGES, ROOT, Block, blocks
from tests.unit.docs.examples import compiled

TUTORIAL = ROOT / "docs" / "tutorial.md"
FEEDS = ("changes", "current", "history")
"""Macros whose subquery can be made only beside a state."""
SHOWN = ("revenue_by_customer", "revenue_by_segment", "product_ranking")
RUN = budget(["--select", *(f"+{model}" for model in SHOWN)], [])
TEST = budget(["--select", *(f"{model},test_name:equals_its_query" for model in SHOWN)], [])
"""The models that the page speaks of; all of the shop where there is time."""


@dataclass
class Step:
    """A block of commands: whether each passed, and what dbt said since the block before."""

    block: Block
    passed: list[bool] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


class Reader:
    """Does what the page says, in a copy of the project and on the Spark of the tests."""

    def __init__(self, folder: Path, parameters: dict[str, str]) -> None:
        self.folder = folder
        self.steps: list[Step] = []
        shop = ROOT / "integration_project"
        shutil.copytree(shop, folder, ignore=shutil.ignore_patterns("target", "logs", "demo"))
        profiles = yaml.safe_load((shop / "profiles.yml").read_text())
        profiles["shop"]["outputs"]["dev"]["server_side_parameters"] = parameters
        (folder / "profiles.yml").write_text(yaml.safe_dump(profiles))

    def follow(self, page: Path) -> None:
        for block in blocks(page):
            if "write" in block.said:
                (self.folder / block.said["write"]).write_text(block.code)
            elif block.language == "console":
                self.steps.append(Step(block))
                for command in block.commands:
                    if command.startswith("dbt "):
                        self._dbt(shlex.split(command)[1:])

    def _dbt(self, arguments: list[str]) -> None:
        some = {("run",): RUN, ("test",): TEST}.get(tuple(arguments), [])
        step = self.steps[-1]

        def hear(event: EventMsg) -> None:
            if event.info.level != "debug":
                step.said.append(plain(event.info.msg))

        result = dbtRunner(callbacks=[hear]).invoke([*arguments, *some, *self._where])
        step.passed.append(result.success)

    def operate(self, macro: str) -> None:
        """Run an operation that the page does not speak of."""
        assert dbtRunner().invoke(["run-operation", macro, *self._where]).success

    @property
    def _where(self) -> list[str]:
        return ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]


def plain(line: str) -> str:
    """A line of dbt's, or of the page, without colours, counters, dots and times."""
    line = re.sub(r"\x1b\[\d*m", "", line)
    line = re.sub(r"^\d+ of \d+ ", "", line)
    return re.sub(r"[\d.]+s\]", "s]", re.sub(r" \.+ ", " ", line))


@pytest.fixture(scope="module")
def parameters(spark_parameters: dict[str, str]) -> dict[str, str]:
    return spark_parameters | TINY_TABLES


@pytest.fixture(scope="module")
def reader(
    tmp_path_factory: pytest.TempPathFactory, parameters: dict[str, str]
) -> Iterator[Reader]:
    reader = Reader(tmp_path_factory.mktemp("tutorial") / "shop", parameters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
        patch.setenv("DBT_USE_COLORS", "false")
        reset_adapters()
        reader.follow(TUTORIAL)
    yield reader
    reset_adapters()
    spark = SessionHandle(parameters).session
    for schema in ("analytics", "shop"):
        spark.sql(f"drop schema if exists {schema} cascade")


def test_every_command_passes_or_fails_as_documented(reader: Reader) -> None:
    for step in reader.steps:
        wanted = "fails" not in step.block.said
        assert step.passed == [wanted] * len(step.passed), "\n".join([str(step.block), *step.said])
    assert sum(len(step.passed) for step in reader.steps) >= 10


def test_dbt_prints_what_the_page_shows(reader: Reader) -> None:
    shown = [block for block in blocks(TUTORIAL) if block.language == "text"]
    assert len(shown) >= 5
    for block in shown:
        step = max((s for s in reader.steps if s.block.line < block.line), key=_line)
        missing = [line for line in block.code.splitlines() if plain(line) not in step.said]
        assert not missing, "\n".join([*missing, "is not in", *step.said])


def test_a_failing_command_prints_the_documented_reason(reader: Reader) -> None:
    for step in reader.steps:
        if "fails" in step.block.said:
            above = max((b for b in blocks(TUTORIAL) if "full" in b.said), key=lambda b: b.line)
            assert above.said["full"] in "\n".join(step.said)


def test_ivm_changes_prints_the_documented_changes(reader: Reader) -> None:
    """Two segments, a U each."""
    (step,) = (s for s in reader.steps if "ivm_changes" in s.block.code)
    said = "\n".join(step.said)
    assert all(segment in said for segment in ("business", "consumer"))
    assert len(re.findall(r"\bU\b", said)) == 2, said


def test_the_statements_of_the_other_pages_run(reader: Reader, parameters: dict[str, str]) -> None:
    spark = SessionHandle(parameters).session
    spark.sql("create view analytics.old_name as select 1 as one")
    spark.sql("create table analytics.old_name__ivm (one int) using delta")
    spark.sql(
        "create table analytics.revenue_by_customer_old using delta as "
        "select * from analytics.revenue_by_customer"
    )
    reader.operate("ivm_refreshes")
    ran = 0
    for block in (b for page in PAGES for b in blocks(page) if b.language == "sql"):
        sql, config = compiled(block.code, "analytics")
        if not config and not any(f"ivm_{name}(" in block.code for name in FEEDS):
            rows = spark.sql(sql).collect()
            ran += 1
            if "except all" in sql:
                assert rows == [], str(block)
    assert ran >= 6
    assert not spark.catalog.tableExists("analytics.old_name__ivm")


def _line(step: Step) -> int:
    return step.block.line
