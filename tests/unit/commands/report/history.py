"""A project of three models with a past."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from random import Random

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.commands.doctor.facts import SourceFacts
from dbt.adapters.ivm_spark.commands.explain.record import Record
from dbt.adapters.ivm_spark.commands.report.reported import ReportedModel
from tests.unit.commands.doctor.models import HEALTHY, HOUR, NOW, ORDERS

NAME = "`shop`.`{}`"


def record(model: str, refresh: int, kind: str, seconds: float, **given: object) -> Record:
    began = datetime.fromtimestamp(NOW / 1000, timezone.utc) - timedelta(hours=40 - refresh)
    facts: dict[str, object] = {
        "model": f"model.shop.{model}",
        "relation": f"shop.{model}",
        "refresh": refresh,
        "started_at": began.isoformat(timespec="milliseconds"),
        "seconds": seconds,
        "kind": kind,
        "technique": "group_aggregate" if kind == "incremental" else kind,
        "reason": None,
        "detail": None,
        "rows_inserted": 0,
        "rows_updated": 0,
        "rows_deleted": 0,
        "changed_rows": None,
        "estimated_incremental": None,
        "estimated_full": None,
        "sources": {},
    }
    return Record(**{**facts, **given})  # type: ignore[arg-type]


def past(model: str, rebuilt: tuple[int, ...]) -> tuple[Record, ...]:
    random = Random(model)
    found = [record(model, 1, "initial", 6.2, rows_inserted=800)]
    for number in range(2, 38):
        if number in rebuilt:
            reason = {"reason": "SOURCE_REPLACED", "detail": "`shop`.`orders` <b>&"}
            found.append(record(model, number, "full", random.uniform(4, 7), **reason))
            continue
        rows = {f"rows_{what}": random.randrange(40) for what in ("inserted", "updated", "deleted")}
        read = {"changed_rows": 100, "source_rows": 10_000}
        thought = {"estimated_incremental": 4.0 if number == 30 else 1.5, "estimated_full": 5.0}
        seconds = 1.2 if number == 30 else random.uniform(1, 2.5)
        found.append(record(model, number, "incremental", seconds, **rows, **read, **thought))
    return tuple(found)


def reported(model: str, *sources: SourceFacts, rebuilt: tuple[int, ...] = ()) -> ReportedModel:
    facts = replace(HEALTHY, model=model, view=NAME.format(model), sources=sources)
    return ReportedModel(facts, NAME.format(f"{model}__ivm"), past(model, rebuilt))


def source(name: str, unread_since: int | None = None) -> SourceFacts:
    return replace(ORDERS, name=NAME.format(name), unread_since=unread_since)


REVENUE = reported("revenue_by_customer", source("orders", NOW - 3 * HOUR), source("customers"))
REVENUE = replace(REVENUE, records=past("revenue_by_customer", (9, 21)))
TOP = reported("top_customers", source("revenue_by_customer__ivm"))
LASTING = Reason(ReasonCode.WINDOW_WITHOUT_PARTITION_BY, "row_number")
PLACES = replace(
    reported("places$of$all", source("customers"), source("top_customers__ivm")), records=()
)
PLACES = replace(
    PLACES,
    facts=replace(
        PLACES.facts, kind="initial", unsupported_reason=LASTING, state=None, technique="initial"
    ),
)
MODELS = (REVENUE, TOP, PLACES)
