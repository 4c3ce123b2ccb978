"""The page of the report: one HTML file that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from importlib.resources import files
from typing import Any

from jinja2 import Environment

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.commands.doctor.facts import Severity
from dbt.adapters.ivm_spark.commands.doctor.rules import examined
from dbt.adapters.ivm_spark.commands.report.reported import ReportedModel
from dbt.adapters.ivm_spark.commands.spoken import bare, duration
from dbt.adapters.ivm_spark.plan.plan import RefreshKind

_KINDS = {"none": "nothing to do", "initial": "first build"}


def page(
    project: str,
    now: int,
    models: Sequence[ReportedModel],
    lineage: Callable[[Sequence[ReportedModel]], str],
    refreshes: Callable[[ReportedModel], str],
    reasons: Callable[[Sequence[ReportedModel]], str],
) -> str:
    """Return the page's HTML.

    now: milliseconds since 1970; lineage, refreshes, reasons: each draws an <svg>.
    """
    template = (files(__package__) / "page.html").read_text("utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        project=project,
        made=_time(datetime.fromtimestamp(now / 1000, timezone.utc)),
        lineage=lineage(models) if models else "",
        saved=_saved(models),
        reasons=reasons(models) if any(model.rebuilt for model in models) else "",
        misjudged=[_misjudged(model) for model in models if model.misjudged],
        models=[_model(model, refreshes) for model in models],
        findings=sorted(
            (finding for model in models for finding in _findings(model)),
            key=lambda finding: finding["order"],
        ),
        rebuilds=sorted(
            (rebuild for model in models for rebuild in _rebuilds(model)),
            key=lambda rebuild: str(rebuild["when"]),
            reverse=True,
        ),
    )


def _model(model: ReportedModel, refreshes: Callable[[ReportedModel], str]) -> dict[str, Any]:
    lag = model.lag
    return {
        "name": bare(model.facts.view),
        "technique": model.technique,
        "lag": "not built" if lag is None else duration(lag) if lag else "none",
        "next": _KINDS.get(model.facts.kind, model.facts.kind) or "would fail",
        "refreshes": len(model.records),
        "full": len(model.rebuilt),
        "incremental_seconds": _seconds(model.seconds(RefreshKind.INCREMENTAL)),
        "full_seconds": _seconds(model.seconds(RefreshKind.FULL)),
        "saved_seconds": f"{model.saved.seconds:,.0f}",
        "saved_rows": f"{model.saved.rows:,}",
        "figure": refreshes(model) if model.records else "",
    }


def _saved(models: Sequence[ReportedModel]) -> dict[str, str]:
    kinds = Counter(record.kind for model in models for record in model.records)
    saved = [model.saved for model in models]
    return {
        "incremental": f"{kinds[RefreshKind.INCREMENTAL.value]:,}",
        "full": f"{kinds[RefreshKind.FULL.value]:,}",
        "seconds": duration(sum(one.seconds for one in saved)),
        "rows": f"{sum(one.rows for one in saved):,}",
    }


def _misjudged(model: ReportedModel) -> dict[str, Any]:
    wrong = model.misjudged
    estimate, actual = wrong[-1]
    return {
        "name": bare(model.facts.view),
        "wrong": len(wrong),
        "of": len(model.estimated),
        "estimate": _seconds(estimate),
        "actual": _seconds(actual),
    }


def _findings(model: ReportedModel) -> Iterator[dict[str, Any]]:
    for finding in examined(model.facts):
        yield {
            "order": list(Severity).index(finding.severity),
            "severity": finding.severity.value,
            "model": bare(model.facts.view),
            "message": finding.message,
            "remedy": finding.remedy,
        }


def _rebuilds(model: ReportedModel) -> Iterator[dict[str, Any]]:
    for record in model.rebuilt:
        known = record.reason in ReasonCode.__members__
        yield {
            "when": _time(datetime.fromisoformat(record.started_at)),
            "model": bare(model.facts.view),
            "refresh": record.refresh,
            "seconds": _seconds(record.seconds),
            "code": record.reason or "",
            "sentence": ReasonCode(record.reason).sentence if known else "",
            "detail": record.detail or "",
        }


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


def _time(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
