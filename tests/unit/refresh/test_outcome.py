"""What an error of the commit stands for, and what the console says."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.plan import Plan, RefreshKind, Technique
from dbt.adapters.ivm_spark.refresh.outcome import Outcome, message, outcome_of_error
from dbt.adapters.ivm_spark.watermark.watermark import Watermark

MARK = Watermark("id", 1, "", {})


RACE = "[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Transaction conflict"


@pytest.mark.parametrize("kind", [RefreshKind.INCREMENTAL, RefreshKind.FULL])
def test_a_lost_race_is_planned_again(kind: RefreshKind) -> None:
    outcome = outcome_of_error(RACE, kind, True)
    assert outcome is not None
    assert outcome.lost
    assert not outcome.done


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[DELTA_MISSING_CHANGE_DATA] Error getting change data", ReasonCode.CDF_UNAVAILABLE),
        (
            "[DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA] Retrieving",
            ReasonCode.DATA_SCHEMA_CHANGED,
        ),
        ("[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered", ReasonCode.CHANGE_SET_MISSING),
        ("[DIVIDE_BY_ZERO] Division. SQLSTATE: 22012", ReasonCode.CHANGE_NOT_COMPUTED),
        ("[ARITHMETIC_OVERFLOW] Too much. SQLSTATE: 22003", ReasonCode.OPERATOR_NOT_SUPPORTED),
    ],
)
def test_a_lost_feed_has_its_reason(text: str, code: ReasonCode) -> None:
    outcome = outcome_of_error(text, RefreshKind.INCREMENTAL, True)
    assert outcome is not None
    assert outcome.broken is not None
    assert outcome.broken.code is code
    assert outcome_of_error(text, RefreshKind.FULL, False) is None, "there is nothing left to try"


def test_a_rebuild_that_fails_on_a_row_is_tried_from_the_querys_own_text() -> None:
    outcome = outcome_of_error("[DIVIDE_BY_ZERO] SQLSTATE: 22012", RefreshKind.INITIAL, True)
    assert outcome is not None
    assert outcome.broken is not None
    assert outcome.broken.code is ReasonCode.GENERATED_SQL_REJECTED


def test_any_other_error_fails_the_run() -> None:
    raised = "[USER_RAISED_EXCEPTION] a count below zero SQLSTATE: P0001"
    assert outcome_of_error(raised, RefreshKind.INCREMENTAL, True) is None


@pytest.mark.parametrize(
    ("plan", "outcome", "text"),
    [
        (Plan(MARK, RefreshKind.NONE, Technique.NO_OP), Outcome(False), "NO CHANGES"),
        (
            Plan(MARK, RefreshKind.INCREMENTAL, Technique.ROW_BASED),
            Outcome(True, inserted=12, updated=40, deleted=3),
            "INCREMENTAL +12 ~40 -3",
        ),
        (
            Plan(MARK, RefreshKind.INITIAL, Technique.INITIAL),
            Outcome(True, inserted=5),
            "INITIAL 5 rows",
        ),
        (
            Plan(MARK, RefreshKind.FULL, Technique.FULL, Reason(ReasonCode.SOURCE_REPLACED)),
            Outcome(True, inserted=5),
            "FULL 5 rows: SOURCE_REPLACED",
        ),
    ],
)
def test_the_console(plan: Plan, outcome: Outcome, text: str) -> None:
    assert message(plan, outcome) == text
