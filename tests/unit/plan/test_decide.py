"""Incremental, full or nothing: each situation and its decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import RelationKind
from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.config import IvmConfig, RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import SMALL_ROWS, Situation, decide, hangs_on
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel, Work
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark, Watermark

APPEND = Commit(6, "WRITE", {"mode": "Append"}, {"numOutputRows": "7"})
FIFTH = Commit(5, "WRITE", {"mode": "Append"}, {"numOutputRows": "3"}, committed="noon")
ROWS = 1_000_000
MARK = Watermark("id", 3, "q-c-s", {"`s`.`t`": SourceWatermark("table", 5, ROWS, "noon")})
STILL = Situation(
    config=IvmConfig(),
    fingerprint="q-c-s",
    unsupported_reason=None,
    watermark=MARK,
    exists=True,
    modified="",
    heads={"`s`.`t`": Head(5, True, (FIFTH,), "table")},
)
MOVED = replace(STILL, heads={"`s`.`t`": Head(6, True, (APPEND, FIFTH), "table")})
LATER = replace(FIFTH, committed="evening")


def _reason(situation: Situation) -> ReasonCode | None:
    decision = decide(situation)
    assert decision.build == (decision.reason is not None)
    return decision.reason.code if decision.reason else None


def test_nothing_moved() -> None:
    decision = decide(STILL)
    assert not decision.build
    assert decision.moved == frozenset()


def test_a_source_that_moved_is_merged() -> None:
    decision = decide(MOVED)
    assert not decision.build
    assert decision.moved == {"`s`.`t`"}
    assert decision.ranges["`s`.`t`"].rows == 7


def test_the_first_build_has_no_reason() -> None:
    decision = decide(replace(STILL, exists=False, watermark=None))
    assert decision.build
    assert decision.first
    assert decision.reason is None


@pytest.mark.parametrize(
    ("situation", "code"),
    [
        (replace(STILL, full_refresh=True), ReasonCode.FULL_REFRESH_REQUESTED),
        (replace(STILL, modified="WRITE at version 9"), ReasonCode.STATE_MODIFIED),
        (replace(STILL, watermark=None), ReasonCode.STATE_MISSING),
        (
            replace(STILL, watermark=None, unread="MERGE at version 9"),
            ReasonCode.STATE_FORMAT_CHANGED,
        ),
        (
            replace(
                STILL,
                fingerprint="other",
                unsupported_reason=Reason(ReasonCode.INPUT_NOT_IN_DELTA, "files"),
            ),
            ReasonCode.INPUT_NOT_IN_DELTA,
        ),
        (replace(STILL, fingerprint="other-c-s"), ReasonCode.QUERY_FINGERPRINT_CHANGED),
        (replace(STILL, fingerprint="q-other-s"), ReasonCode.DATA_SCHEMA_CHANGED),
        (replace(STILL, fingerprint="q-c-other"), ReasonCode.QUERY_FINGERPRINT_CHANGED),
        (replace(STILL, heads={"`s`.`t`": Head(5, True, (), "other")}), ReasonCode.SOURCE_REPLACED),
        (
            replace(STILL, heads={"`s`.`t`": Head(6, True, (APPEND, LATER), "other")}),
            ReasonCode.SOURCE_REPLACED,
        ),
        (replace(STILL, heads={"`s`.`t`": Head(4, True, (), "other")}), ReasonCode.SOURCE_REPLACED),
        (replace(STILL, configuration="partitioned by (k)"), ReasonCode.CONFIGURATION_CHANGED),
        (replace(STILL, heads={}), ReasonCode.QUERY_FINGERPRINT_CHANGED),
        (
            replace(MOVED, heads={"`s`.`t`": Head(6, False, (APPEND,), "table")}),
            ReasonCode.CDF_UNAVAILABLE,
        ),
        (
            replace(MOVED, heads={"`s`.`t`": Head(6, True, (), "table")}),
            ReasonCode.CHANGE_SET_MISSING,
        ),
        (
            replace(MOVED, config=IvmConfig(refresh_policy=RefreshPolicy.FULL)),
            ReasonCode.FULL_REFRESH_REQUESTED,
        ),
        (
            replace(
                MOVED, unsupported_reason=Reason(ReasonCode.OPERATOR_NOT_SUPPORTED, "LEFT JOIN")
            ),
            ReasonCode.OPERATOR_NOT_SUPPORTED,
        ),
    ],
)
def test_each_situation_that_needs_a_rebuild_has_its_reason(
    situation: Situation, code: ReasonCode
) -> None:
    assert _reason(situation) is code


FILES = replace(
    STILL,
    watermark=replace(MARK, sources={"`s`.`t`": SourceWatermark("files one", 0, ROWS)}),
    heads={"`s`.`t`": Head(0, False, (), "files one", kind=RelationKind.FILES)},
)
OTHER_FILES = {"`s`.`t`": Head(0, False, (), "files two", kind=RelationKind.FILES)}


def test_a_table_of_files_is_unchanged_while_its_files_are() -> None:
    decision = decide(FILES)
    assert decision.changes_nothing
    assert not decision.build
    assert _reason(replace(FILES, heads=OTHER_FILES)) is ReasonCode.FILES_CHANGED
    lasting = Reason(ReasonCode.INPUT_NOT_IN_DELTA, "csv")
    situation = replace(FILES, heads=OTHER_FILES, unsupported_reason=lasting)
    assert _reason(situation) is lasting.code


def test_a_delta_table_and_one_of_files_replace_each_other() -> None:
    assert _reason(replace(STILL, heads=OTHER_FILES)) is ReasonCode.SOURCE_REPLACED
    assert _reason(replace(FILES, heads=STILL.heads)) is ReasonCode.SOURCE_REPLACED


def test_a_table_replaced_in_place_is_refreshed_incrementally() -> None:
    properties = {"properties": '{"delta.enableChangeDataFeed":"true"}'}
    replaced = Commit(6, "CREATE OR REPLACE TABLE AS SELECT", properties, {})
    decision = decide(replace(STILL, heads={"`s`.`t`": Head(6, True, (replaced, FIFTH), "new id")}))
    assert not decision.build
    assert decision.moved == {"`s`.`t`"}


def test_a_run_that_pinned_before_another_refreshed_has_nothing_to_do() -> None:
    decision = decide(replace(STILL, heads={"`s`.`t`": Head(4, True, (), "table")}))
    assert not decision.build
    assert decision.moved == frozenset()


def test_policy_full_does_nothing_where_nothing_moved() -> None:
    config = IvmConfig(refresh_policy=RefreshPolicy.FULL)
    assert _reason(replace(STILL, config=config)) is None


def test_a_query_that_is_not_maintained_is_left_alone_only_if_it_is_repeatable() -> None:
    unsupported_reason = Reason(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, "rand()")
    assert _reason(replace(STILL, unsupported_reason=unsupported_reason)) is None
    assert (
        _reason(replace(STILL, unsupported_reason=unsupported_reason, repeatable=False))
        is unsupported_reason.code
    )


@pytest.mark.parametrize(
    ("rows", "timed", "tried", "code"),
    [
        (SMALL_ROWS, False, False, ReasonCode.COST_MODEL),
        (SMALL_ROWS, True, False, None),
        (SMALL_ROWS, False, True, None),
        (SMALL_ROWS + 1, False, False, None),
    ],
)
def test_small_tables_are_rebuilt_until_a_rebuild_was_timed(
    rows: int, timed: bool, tried: bool, code: ReasonCode | None
) -> None:
    """A first build in a cold Spark says little of what a rebuild takes."""
    situation = replace(
        MOVED,
        watermark=replace(MARK, sources={"`s`.`t`": SourceWatermark("table", 5, rows, "noon")}),
        cost_model=CostModel(60.0, rows, timed=timed, tried=tried),
    )
    assert _reason(situation) is code


def test_the_delta_is_not_derived_where_the_least_increment_takes_longer() -> None:
    def work(changed: Mapping[str, int], insert_only: bool) -> Work:
        raise AssertionError("it takes longer than the rest of a plan")

    situation = replace(
        MOVED,
        cost_model=CostModel(0.3, ROWS),
        work=work,
    )
    assert _reason(situation) is ReasonCode.COST_MODEL
    assert _reason(replace(situation, config=IvmConfig(refresh_policy=RefreshPolicy.FULL)))


@pytest.mark.parametrize(
    ("rows", "changed", "policy", "code"),
    [
        (ROWS, ROWS // 2, RefreshPolicy.AUTO, ReasonCode.COST_MODEL),
        (ROWS, ROWS // 5, RefreshPolicy.AUTO, None),
        (ROWS, ROWS // 2, RefreshPolicy.INCREMENTAL, None),
        (100, 50, RefreshPolicy.AUTO, ReasonCode.COST_MODEL),
    ],
)
def test_auto_rebuilds_where_much_changed(
    rows: int, changed: int, policy: RefreshPolicy, code: ReasonCode | None
) -> None:
    commit = replace(APPEND, metrics={"numOutputRows": str(changed)})
    situation = replace(
        MOVED,
        config=IvmConfig(refresh_policy=policy, change_threshold=0.3),
        watermark=replace(MARK, sources={"`s`.`t`": SourceWatermark("table", 5, rows, "noon")}),
        heads={"`s`.`t`": Head(6, True, (commit, FIFTH), "table")},
    )
    assert _reason(situation) is code


@pytest.mark.parametrize(
    ("full_seconds", "changed", "tried", "policy", "code"),
    [
        (100.0, ROWS // 100, False, RefreshPolicy.AUTO, None),
        (100.0, ROWS // 4, False, RefreshPolicy.AUTO, ReasonCode.COST_MODEL),
        (1.3, 1, False, RefreshPolicy.AUTO, ReasonCode.COST_MODEL),
        (1.4, 1, False, RefreshPolicy.AUTO, None),
        (1.0, 1, True, RefreshPolicy.AUTO, ReasonCode.COST_MODEL),
        (1.2, 1, True, RefreshPolicy.AUTO, None),
        (0.9, 1, False, RefreshPolicy.INCREMENTAL, None),
    ],
)
def test_auto_chooses_what_is_estimated_to_be_faster(
    full_seconds: float, changed: int, tried: bool, policy: RefreshPolicy, code: ReasonCode | None
) -> None:
    """A first increment must be clearly faster; after it, faster."""
    commit = replace(APPEND, metrics={"numOutputRows": str(changed)})
    situation = replace(
        MOVED,
        config=IvmConfig(refresh_policy=policy),
        heads={"`s`.`t`": Head(6, True, (commit, FIFTH), "table")},
        cost_model=CostModel(full_seconds, ROWS, tried=tried),
    )
    decision = decide(situation)
    assert decision.estimates is not None
    assert decision.estimates.full == pytest.approx(full_seconds)
    assert (decision.reason.code if decision.reason else None) is code
    if code is not None:
        assert decision.reason is not None
        assert f"{full_seconds} in full" in decision.reason.detail


@pytest.mark.parametrize(
    ("met", "least", "tried", "build"),
    [
        pytest.param(6_000_000, 300_000, False, False, id="it may read little"),
        pytest.param(6_000_000, 3_000_000, False, True, id="it reads much in any case"),
        pytest.param(9_000_000, 300_000, False, True, id="it may read too much"),
        pytest.param(6_000_000, 6_000_000, False, True, id="nothing is narrowed"),
        pytest.param(6_000_000, 300_000, True, True, id="it was tried before"),
    ],
)
def test_a_first_try_may_be_hopeful(met: int, least: int, tried: bool, build: bool) -> None:
    situation = replace(
        MOVED,
        cost_model=CostModel(3.0, ROWS, tried=tried, fixed=0.5),
        work=lambda changed, _: Work(changed=sum(changed.values()), met=met, least=least),
    )
    assert decide(situation).build is build


CUSTOMERS = "`s`.`customers`"


def _costly_by(source: str) -> Situation:
    """Two sources moved, of which one makes the delta a complex one."""
    sources = {name: SourceWatermark("table", 5, ROWS, "noon") for name in ("`s`.`t`", CUSTOMERS)}

    def work(changed: Mapping[str, int], insert_only: bool) -> Work:
        assert insert_only
        rows = sum(changed.values())
        if source in changed:
            return Work(changed=rows, materialized=10, scans=30)
        return Work(changed=rows, scans=1)

    return replace(
        MOVED,
        watermark=replace(MARK, sources=sources),
        heads={name: Head(6, True, (APPEND, FIFTH), "table") for name in sources},
        cost_model=CostModel(3.0, 2 * ROWS),
        work=work,
    )


def test_a_rebuild_for_cost_depends_on_no_op_updates() -> None:
    situation = _costly_by(CUSTOMERS)
    decision = decide(situation)
    assert decision.build and hangs_on(situation, decision, frozenset({CUSTOMERS}))
    little = replace(situation, cost_model=CostModel(1.2, 2 * ROWS))
    assert not hangs_on(little, decide(little), frozenset({CUSTOMERS})), "it would save too little"
    without = decide(replace(situation, no_ops=frozenset({CUSTOMERS})))
    assert not without.build
    assert (without.work.changed, without.moved) == (7, decision.moved)


def test_other_choices_do_not_depend_on_no_op_updates() -> None:
    rebuilt = _costly_by("`s`.`t`")
    assert not hangs_on(rebuilt, decide(rebuilt), frozenset({CUSTOMERS}))
    always = replace(_costly_by(CUSTOMERS), config=IvmConfig(refresh_policy=RefreshPolicy.FULL))
    assert not hangs_on(always, decide(always), frozenset({CUSTOMERS}))
    merged = replace(rebuilt, config=IvmConfig(refresh_policy=RefreshPolicy.INCREMENTAL))
    assert not hangs_on(merged, decide(merged), frozenset({CUSTOMERS}))
