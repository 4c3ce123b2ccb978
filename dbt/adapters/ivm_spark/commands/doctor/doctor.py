"""The doctor, which examines every model that the macro names and reports on them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.commands.doctor.as_text import as_text
from dbt.adapters.ivm_spark.commands.doctor.examiner import Examiner
from dbt.adapters.ivm_spark.commands.doctor.facts import ModelFacts
from dbt.adapters.ivm_spark.commands.doctor.rules import examined

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


def as_json(models: Sequence[ModelFacts]) -> str:
    """Return one JSON object: `models`, each with its facts and its `findings`."""
    return json.dumps({"models": [_model(facts) for facts in models]}, indent=2)


def _model(facts: ModelFacts) -> dict[str, Any]:
    reasons = {
        "reason": _reason(facts.reason),
        "unsupported_reason": _reason(facts.unsupported_reason),
    }
    findings = [{**asdict(f), "severity": f.severity.value} for f in examined(facts)]
    return {**asdict(facts), **reasons, "findings": findings}


def _reason(reason: Reason | None) -> Any:
    return None if reason is None else reason.facts
