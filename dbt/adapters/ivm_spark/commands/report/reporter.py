"""Collects the contents of the page, model by model, and writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.commands.doctor.examiner import Examiner
from dbt.adapters.ivm_spark.commands.explain.record import Record, of_commits
from dbt.adapters.ivm_spark.commands.report.page import page
from dbt.adapters.ivm_spark.commands.report.reported import ReportedModel
from dbt.adapters.ivm_spark.source.reader import SourceReader

SHOWN_COMMITS = 200
"""The page shows this many of a state's newest commits."""


@dataclass(frozen=True)
class Project:
    """A dbt project.

    Attributes:
        name: its name.
        folder: its folder.
        target: the folder that dbt writes to.
    """

    name: str
    folder: Path
    target: str


class Reporter:
    """Writes one page on the models that the macro names.

    now: milliseconds since 1970.
    """

    def __init__(
        self, examiner: Examiner, reader: SourceReader, project: Project, now: int
    ) -> None:
        self._examiner = examiner
        self._reader = reader
        self._project = project
        self._now = now
        self._models: list[ReportedModel] = []

    def add(self, name: str, request: dict[str, Any]) -> None:
        """Add a model to the page.

        request: what the macro `ivm_request` says of it.
        """
        facts = self._examiner.facts(name, **request)
        records: tuple[Record, ...] = ()
        if facts.state is not None:
            commits = self._reader.recent(facts.state.name, SHOWN_COMMITS)
            found = of_commits(request["model"], facts.view, commits)
            records = tuple(sorted(found, key=lambda record: record.refresh))
        self._models.append(ReportedModel(facts, request["state"], records))

    def write(self, path: str | None) -> str:
        """Write the page and return its path.

        path: of the file, from the project's folder, None for one in its target. Raises
        CompilationError if the library that draws is not installed, or if the file can't be
        written.
        """
        try:
            from dbt.adapters.ivm_spark.commands.report.figures import lineage, reasons, refreshes
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("matplotlib"):
                raise
            raise CompilationError(
                "ivm_report draws with matplotlib, which is not installed. Install it: "
                "pip install 'dbt-ivm-spark[report]'"
            ) from error
        target = self._project.folder / (path or Path(self._project.target) / "ivm_report.html")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            html = page(self._project.name, self._now, self._models, lineage, refreshes, reasons)
            target.write_text(html, "utf-8")
        except OSError as error:
            raise CompilationError(f"ivm_report can't write {target}: {error}.") from error
        return str(target)
