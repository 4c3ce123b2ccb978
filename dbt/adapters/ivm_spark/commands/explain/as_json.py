"""An explanation as JSON, for programs; docs/explain.md lists the keys."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.commands.explain.explanation import Explanation
from dbt.adapters.ivm_spark.commands.explain.operators import Operator

FORMAT = 1
"""Increases when a key is removed or changes its meaning; new keys may appear at any time."""


def as_json(told: Explanation) -> str:
    """Return the explanation as one JSON object."""
    return json.dumps(_facts(told), indent=2)


def _reason(reason: Reason | None) -> dict[str, str] | None:
    return reason.facts if reason is not None else None


def _facts(told: Explanation) -> dict[str, Any]:
    plan = told.plan
    return {
        "format": FORMAT,
        "model": told.model,
        "materialized": told.materialized,
        "view": told.view,
        "state": told.state,
        "refresh_policy": told.policy.value,
        "maintained": told.maintained,
        "technique": told.technique,
        "reason": _reason(told.reason),
        "plan_difference": list(told.plan_difference) or None,
        "operators": _operator(told.tree) if told.tree is not None else None,
        "state_columns": [
            {
                "name": column.name,
                "type": column.type_name,
                "role": column.role,
                "holds": column.holds,
                "hidden": column.hidden,
            }
            for column in told.columns
        ],
        "key": list(told.key),
        "frozen_where": told.frozen or None,
        "build_by": told.build_by or None,
        "unfinished_build": None
        if told.unfinished is None
        else {"parts": told.unfinished.parts, "built": told.unfinished.done},
        "sources": [
            {**asdict(source), "broken": _reason(source.broken)} for source in told.sources
        ],
        "clock": [
            dict(zip(("constant", "recorded", "now"), row, strict=True)) for row in told.clock
        ],
        "recorded_refresh": told.recorded.refresh if told.recorded is not None else None,
        "next": {
            "kind": plan.kind.value,
            "technique": plan.technique.value,
            "reason": _reason(plan.reason),
            "warning": plan.warning or None,
            "refused": told.refused or None,
            "query_change": plan.query_change,
            "altered": plan.alteration.steps,
            "estimated_seconds": None
            if plan.estimates is None
            else {way: round(seconds, 3) for way, seconds in asdict(plan.estimates).items()},
        },
        "sql": dict(told.statements),
    }


def _operator(operator: Operator) -> dict[str, Any]:
    return {
        "operator": operator.operator,
        "says": operator.says,
        "technique": operator.technique,
        "how": operator.how,
        "stored": operator.stored,
        "reason": _reason(operator.reason),
        "inputs": [_operator(below) for below in operator.inputs],
    }
