"""The doctor's findings as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.commands.doctor.facts import ModelFacts
from dbt.adapters.ivm_spark.commands.doctor.rules import examined


def as_json(models: Sequence[ModelFacts]) -> str:
    """Return one JSON object: `models`, each with its facts and its `findings`."""
    return json.dumps({"models": [_model(facts) for facts in models]}, indent=2)


def _model(facts: ModelFacts) -> dict[str, Any]:
    told = asdict(facts)
    told["reason"], told["unsupported_reason"] = (
        _reason(facts.reason),
        _reason(facts.unsupported_reason),
    )
    findings = [{**asdict(f), "severity": f.severity.value} for f in examined(facts)]
    return {**told, "findings": findings}


def _reason(reason: Reason | None) -> Any:
    return None if reason is None else reason.facts
