"""The doctor, which examines every model that the macro names and reports on them."""

from __future__ import annotations

from typing import Any

from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.commands.doctor.as_json import as_json
from dbt.adapters.ivm_spark.commands.doctor.as_text import as_text
from dbt.adapters.ivm_spark.commands.doctor.examiner import Examiner
from dbt.adapters.ivm_spark.commands.doctor.facts import ModelFacts

FORMATS = ("text", "json")


class Doctor:
    """Examines models one by one and reports its findings on all of them."""

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner
        self._models: list[ModelFacts] = []

    def examine(self, name: str, request: dict[str, Any]) -> None:
        """Examine a model.

        request: what the macro `ivm_request` says of it.
        """
        self._models.append(self._examiner.facts(name, **request))

    def text(self, form: str) -> str:
        """Return the findings, as `text` for people or as `json` for programs."""
        if form not in FORMATS:
            raise CompilationError(f"format is {form!r}; it must be one of: {', '.join(FORMATS)}.")
        return as_json(self._models) if form == "json" else as_text(self._models)
