"""The page of the report: one HTML file that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from importlib.resources import files
from typing import Any

from jinja2 import Environment

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.commands.doctor.finding import Severity
from dbt.adapters.ivm_spark.commands.doctor.rules import examined
from dbt.adapters.ivm_spark.commands.doctor.spoken import bare, duration
from dbt.adapters.ivm_spark.commands.report.told import Told
from dbt.adapters.ivm_spark.plan.plan import RefreshKind

_KINDS = {"none": "nothing to do", "initial": "first build"}


def page(
    project: str,
    now: int,
    models: Sequence[Told],
    lineage: Callable[[Sequence[Told]], str],
    refreshes: Callable[[Told], str],
    reasons: Callable[[Sequence[Told]], str],
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
        reasons=reasons(models) if any(told.rebuilt for told in models) else "",
        misjudged=[_misjudged(told) for told in models if told.misjudged],
        models=[_model(told, refreshes) for told in models],
        findings=sorted(
            (finding for told in models for finding in _findings(told)),
            key=lambda finding: finding["order"],
        ),
        rebuilds=sorted(
            (rebuild for told in models for rebuild in _rebuilds(told)),
            key=lambda rebuild: str(rebuild["when"]),
            reverse=True,
        ),
    )


def _model(told: Told, refreshes: Callable[[Told], str]) -> dict[str, Any]:
    lag = told.lag
    return {
        "name": bare(told.facts.view),
        "technique": told.technique,
        "lag": "not built" if lag is None else duration(lag) if lag else "none",
        "next": _KINDS.get(told.facts.kind, told.facts.kind) or "would fail",
        "refreshes": len(told.records),
        "full": len(told.rebuilt),
        "incremental_seconds": _seconds(told.seconds(RefreshKind.INCREMENTAL)),
        "full_seconds": _seconds(told.seconds(RefreshKind.FULL)),
        "saved_seconds": f"{told.saved.seconds:,.0f}",
        "saved_rows": f"{told.saved.rows:,}",
        "figure": refreshes(told) if told.records else "",
    }


def _saved(models: Sequence[Told]) -> dict[str, str]:
    kinds = Counter(record.kind for told in models for record in told.records)
    saved = [told.saved for told in models]
    return {
        "incremental": f"{kinds[RefreshKind.INCREMENTAL.value]:,}",
        "full": f"{kinds[RefreshKind.FULL.value]:,}",
        "seconds": duration(sum(one.seconds for one in saved)),
        "rows": f"{sum(one.rows for one in saved):,}",
    }


def _misjudged(told: Told) -> dict[str, Any]:
    wrong = told.misjudged
    estimate, actual = wrong[-1]
    return {
        "name": bare(told.facts.view),
        "wrong": len(wrong),
        "of": len(told.estimated),
        "estimate": _seconds(estimate),
        "actual": _seconds(actual),
    }


def _findings(told: Told) -> Iterator[dict[str, Any]]:
    for finding in examined(told.facts):
        yield {
            "order": list(Severity).index(finding.severity),
            "severity": finding.severity.value,
            "model": bare(told.facts.view),
            "message": finding.message,
            "remedy": finding.remedy,
        }


def _rebuilds(told: Told) -> Iterator[dict[str, Any]]:
    for record in told.rebuilt:
        known = record.reason in ReasonCode.__members__
        yield {
            "when": _time(datetime.fromisoformat(record.started_at)),
            "model": bare(told.facts.view),
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
