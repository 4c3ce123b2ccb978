"""A refresh is recorded alike by its own commit and by what dbt was answered."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.commands.explain.record import COLUMNS, as_rows, of_commits, of_response
from dbt.adapters.ivm_spark.commands.explain.refresh_log import RefreshLog
from dbt.adapters.ivm_spark.plan.plan import Plan, RefreshKind, Technique
from dbt.adapters.ivm_spark.refresh.outcome import Outcome, response
from dbt.adapters.ivm_spark.refresh.response import IvmAdapterResponse
from dbt.adapters.ivm_spark.source.commit import Commit, Effect
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.watermark.cost_model import Estimates, RefreshStats, Work
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark, Watermark

ORDERS = "`shop`.`orders`"
MARK = Watermark("id", 4, "a", {ORDERS: SourceWatermark("t", 9, 70)})
MERGED = Plan(
    replace(MARK, stats=RefreshStats(full=False, work=Work(70, 6, 0))),
    RefreshKind.INCREMENTAL,
    Technique.GROUP_AGGREGATE,
    ranges={ORDERS: VersionRange(7, 9, Effect.GENERAL, 6)},
    estimates=Estimates(1.23456, 8.0),
)
REBUILT = Plan(
    replace(MARK, stats=RefreshStats(work=Work(70))),
    RefreshKind.FULL,
    Technique.FULL,
    reason=Reason(ReasonCode.COST_MODEL, "6 of 7 rows changed" + "!" * 500),
    ranges={ORDERS: VersionRange(7, 9, Effect.GENERAL, 6)},
)
MERGE = {"numTargetRowsInserted": "1", "numTargetRowsUpdated": "2", "numTargetRowsDeleted": "3"}
TOLD = (
    (MERGED, Outcome(True, inserted=1, updated=2, deleted=3, seconds=1.5), "MERGE", MERGE),
    (
        REBUILT,
        Outcome(True, inserted=5, seconds=1.5),
        "CREATE OR REPLACE TABLE AS SELECT",
        {"numOutputRows": "5"},
    ),
)


def answer(plan: Plan, outcome: Outcome) -> dict[str, Any]:
    """adapter_response as dbt hands it on."""
    return IvmAdapterResponse(**response(plan, outcome, {})).to_dict(omit_none=True)


@pytest.mark.parametrize(("plan", "outcome", "operation", "metrics"), TOLD)
def test_commit_and_response_give_the_same_record(
    plan: Plan, outcome: Outcome, operation: str, metrics: dict[str, str]
) -> None:
    plan = plan.begun(1_700_000_000_250)
    commit = Commit(12, operation, {}, metrics, plan.metadata, "1700000001750")
    (record,) = of_commits("model.shop.v", "shop.v", [Commit(13, "OPTIMIZE", {}, {}), commit])
    assert record == of_response("model.shop.v", "shop.v", answer(plan, outcome))
    assert (record.refresh, record.seconds) == (4, 1.5)
    assert record.started_at == "2023-11-14T22:13:20.250+00:00"
    assert record.sources == {"shop.orders": 9}
    assert set(json.loads(as_rows([record]))[0]) == {name for name, _, _ in COLUMNS}


def test_a_record_has_the_facts_of_its_refresh() -> None:
    plan, outcome, _, _ = TOLD[0]
    record = of_response("m", "s.v", answer(plan.begun(1), outcome))
    assert record is not None
    assert (record.kind, record.technique, record.reason) == (
        "incremental",
        "group_aggregate",
        None,
    )
    assert (record.changed_rows, record.estimated_incremental) == (6, 1.235)
    plan, outcome, _, _ = TOLD[1]
    record = of_response("m", "s.v", answer(plan.begun(1), outcome))
    assert record is not None
    assert (record.kind, record.reason, record.changed_rows) == ("full", "COST_MODEL", None)
    assert record.detail is not None
    assert len(record.detail) == 300


def test_a_commit_without_stats_is_left_out() -> None:
    assert of_commits("m", "s.v", [Commit(1, "MERGE", {}, {}, MARK.encode(), "5")]) == []


def result(response: dict[str, Any]) -> Any:
    node = SimpleNamespace(unique_id="m", schema="s", alias="v")
    return SimpleNamespace(node=node, adapter_response=response)


def test_a_run_without_refreshes_has_nothing_to_write() -> None:
    def never(sql: str) -> list[Any]:
        raise AssertionError(sql)

    idle = answer(Plan(MARK), Outcome(False))
    batch = RefreshLog(never).of_results([result(idle), result({}), result({"code": "OK"})])
    assert (batch.rows, batch.count, batch.trims) == ("", 0, False)


@pytest.mark.parametrize(("number", "trims"), [(49, False), (50, True), (51, False)])
def test_every_fiftieth_refresh_trims(number: int, trims: bool) -> None:
    plan = replace(MERGED, watermark=replace(MERGED.watermark, refresh=number)).begun(1)
    found = RefreshLog(lambda _: []).of_results([result(answer(plan, TOLD[0][1]))])
    assert (found.count, found.trims) == (1, trims)
