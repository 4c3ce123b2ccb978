"""Estimates follow what refreshes took: they come close, and one bad refresh decides little."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.watermark.cost_model import (
    FIXED_INCREMENTAL,
    MATERIALIZED,
    OLD,
    REWRITTEN,
    SCAN,
    TOUCHED,
    CostModel,
    Estimates,
    RefreshStats,
    Work,
    estimates,
    learned,
)

BUILT = learned(CostModel(), RefreshStats(1, True, False, Work(1_000_000)), 10.7)


def _estimates(cost_model: CostModel, work: Work) -> Estimates:
    found = estimates(cost_model, work)
    assert found is not None
    return found


def test_scattered_rows_raise_the_incremental_estimate() -> None:
    """A keyed join of 3 million rows of scale 1: 7 seconds, where a rebuild takes 3.5."""
    built = replace(BUILT, full_seconds=3.9, full_rows=7_500_000, state_rows=3_000_000)
    work = Work(7_500_000, 12_000, 900_000, 2, 4)
    keyed, rows = _estimates(built, work), _estimates(built, replace(work, scattered=True))
    assert keyed.incremental < keyed.full < rows.incremental
    assert rows.full == keyed.full


def test_inserts_into_a_larger_state_cost_no_more() -> None:
    """Rows of a filter are inserted in 0.6 seconds, where a MERGE takes 2."""
    work = Work(1_000_000, 100, scattered=True, adds=True)
    small, large = (
        _estimates(replace(BUILT, state_rows=rows), work) for rows in (1_000, 100_000_000)
    )
    assert small == large
    assert small.incremental < _estimates(BUILT, replace(work, adds=False)).incremental


def test_nothing_is_known_before_a_rebuild() -> None:
    assert estimates(CostModel(), Work(100, 1, 0)) is None


@pytest.mark.parametrize(("took", "thought"), [(4.0, 2.0), (12.0, 8.0), (30.0, 26.0)])
def test_a_first_build_counts_less(took: float, thought: float) -> None:
    """A first build runs in a cold Spark, which adds some seconds; if an incremental refresh takes
    more than the rest, a rebuild shows the true time."""
    first = learned(CostModel(), RefreshStats(1, True, True, Work(1_000_000)), took)
    assert _estimates(first, Work(1_000_000, 1, 0)).full == pytest.approx(thought)


def test_a_rebuild_takes_more_on_more_rows() -> None:
    assert _estimates(BUILT, Work(1_000_000, 1, 0)).full == pytest.approx(10.7)
    assert _estimates(BUILT, Work(2_000_000, 1, 0)).full == pytest.approx(20.7)


def test_changed_rows_and_the_rows_that_they_join_take_time() -> None:
    few, many, joined = (
        _estimates(BUILT, work).incremental
        for work in (
            Work(1_000_000, 10, 0),
            Work(1_000_000, 300_000, 0),
            Work(1_000_000, 10, 900_000),
        )
    )
    assert few == pytest.approx(FIXED_INCREMENTAL, abs=0.01)
    assert few < joined < many
    assert many > 10.7


def test_a_delta_of_many_parts_takes_longer_even_for_one_row() -> None:
    parts = (Work(1_000_000, 1, 0, kept, scans) for kept, scans in ((0, 0), (0, 1), (4, 9)))
    none, simple, complex_ = (_estimates(BUILT, work).incremental for work in parts)
    assert none == simple
    assert complex_ == pytest.approx((1 + 4 * MATERIALIZED + 8 * SCAN) * simple, rel=0.01)


def test_the_time_of_a_complex_delta_is_shared_among_its_parts() -> None:
    """What is learned of one delta holds for the view's other deltas, if fewer sources moved."""
    work = Work(1_000_000, 1, 0, 5, 10)
    took = _estimates(BUILT, work).incremental / 4
    known = BUILT
    for _ in range(12):
        known = learned(known, RefreshStats(1, False, False, work), took)
    assert _estimates(known, work).incremental == pytest.approx(took, rel=0.05)
    assert _estimates(known, replace(work, materialized=0, scans=1)).incremental < took / 2


@pytest.mark.parametrize("fixed", [0.4, 1.5, 6.0])
@pytest.mark.parametrize("row", [1e-5, 5e-5, 2e-4])
def test_estimates_come_close_to_the_measured_times(fixed: float, row: float) -> None:
    cost_model = BUILT
    works = [Work(1_000_000, changed, 0) for changed in (100, 200_000, 1_000, 150_000) * 6]
    for work in works:
        cost_model = learned(
            cost_model, RefreshStats(1, False, False, work), fixed + row * work.changed
        )
    for work in works[:2]:
        took = fixed + row * work.changed
        assert _estimates(cost_model, work).incremental == pytest.approx(took, rel=0.3)


def test_one_slow_refresh_does_not_rule_increments_out() -> None:
    work = Work(1_000_000, 100, 0)
    cost_model = learned(BUILT, RefreshStats(1, False, False, work), 500.0)
    assert _estimates(cost_model, work).incremental < _estimates(cost_model, work).full


def test_a_slow_increment_is_not_tried_again_until_a_rebuild_is_slower() -> None:
    work = Work(1_000_000, 100, 0)
    rebuild = RefreshStats(1, True, False, work)
    cost_model = learned(CostModel(), rebuild, 2.0)
    cost_model = learned(cost_model, RefreshStats(1, False, False, work), 2.5)
    assert _estimates(cost_model, work).incremental == pytest.approx(1.25, rel=0.01)
    cost_model = learned(cost_model, rebuild, 2.0)
    cost_model = learned(cost_model, RefreshStats(1, False, False, work), 2.5)
    for _ in range(20):
        found = _estimates(cost_model, work)
        assert found.incremental == pytest.approx(2.5, rel=0.01)
        assert found.full == pytest.approx(2.0, rel=0.03)
        cost_model = learned(cost_model, rebuild, 2.0)
    found = _estimates(learned(cost_model, rebuild, 4.0), work)
    assert found.incremental < found.full


@pytest.mark.parametrize(
    ("took", "counts"), [(0.8, None), (1.2, None), (2.0, 1.11), (3.0, 1.5), (20.0, 3.33)]
)
def test_the_first_increment_counts_as_one_of_a_cold_spark(
    took: float, counts: float | None
) -> None:
    """One that was slower than its estimate of 1.1 s counts less, but not as faster than that."""
    work = Work(1_000_000, 100, 0)
    before = _estimates(BUILT, work).incremental
    assert before == pytest.approx(1.11, rel=0.01)
    after = _estimates(learned(BUILT, RefreshStats(1, False, False, work), took), work).incremental
    assert after <= before if counts is None else after == pytest.approx(counts, rel=0.01)


def test_a_comparison_does_not_raise_the_rebuild_estimate() -> None:
    compared = RefreshStats(1, True, False, Work(1_000_000), compared=True)
    assert learned(BUILT, compared, 20.0) == BUILT
    assert learned(BUILT, compared, 5.0).full_seconds == 5.0


def test_a_refresh_without_a_recorded_rebuild_teaches_nothing() -> None:
    stats = RefreshStats(1, False, False, Work(100, 1, 0))
    assert learned(CostModel(), stats, 3.0) == CostModel()


def test_a_view_that_gets_slower_is_noticed() -> None:
    work = Work(1_000_000, 150_000, 0)
    before = _estimates(BUILT, work)
    cost_model = learned(BUILT, RefreshStats(1, False, False, work), 3 * before.incremental)
    assert _estimates(cost_model, work).incremental > 1.4 * before.incremental
    assert (cost_model.full_seconds, cost_model.full_rows) == (10.7, 1_000_000)


def test_looking_up_rows_in_a_large_state_takes_time() -> None:
    large = replace(BUILT, state_rows=3_000_000)
    assert (
        _estimates(large, Work(1_000_000, 10)).incremental
        > _estimates(BUILT, Work(1_000_000, 10)).incremental * 2
    )


def test_a_delta_that_reads_most_of_its_sources_is_no_faster() -> None:
    """TPC-H's q20 at scale 10: tried in 12 seconds, rebuilt in 4."""
    known = CostModel(full_seconds=4.08, full_rows=70_086_227, state_rows=1_804)
    found = _estimates(known, Work(70_086_227, 179_463, 46_891_625, 7, 10, scattered=True))
    assert found.incremental > 1.15 * found.full


def test_many_small_tables_cost_little() -> None:
    """q08 at scale 1: 2.3 seconds by 16 scans, of which most are of some rows."""
    known = CostModel(full_seconds=1.5, full_rows=7_861_086)
    found = _estimates(known, Work(7_861_086, 21_197, 2_820_224, 1, 16))
    assert 2.0 < found.incremental < 3.0


def test_a_transaction_saves_a_part_of_the_statement_only() -> None:
    """Relations are materialized and tables are scanned as before."""
    small, big = Work(10, 1), Work(10, 1, materialized=10)
    for work in (small, big):
        saved = (
            _estimates(BUILT, work).incremental
            - _estimates(BUILT, replace(work, rewrites=True)).incremental
        )
        assert saved == pytest.approx(FIXED_INCREMENTAL * (1 - REWRITTEN))


def test_the_time_of_a_rebuild_ages_until_one_is_timed_anew() -> None:
    work = Work(1_000_000, 100, 0)
    fulls = []
    known = BUILT
    for _ in range(60):
        fulls.append(_estimates(known, work).full)
        known = learned(known, RefreshStats(1, False, False, work), 1.0)
    assert fulls[0] == pytest.approx(10.7)
    assert fulls[:20] == sorted(fulls[:20], reverse=True)
    assert fulls[-1] == fulls[-2] == pytest.approx(OLD * 10.7)
    assert known.full_seconds == BUILT.full_seconds
    rebuilt = learned(known, RefreshStats(1, True, False, work), 9.0)
    assert _estimates(rebuilt, work).full == pytest.approx(9.0)


def test_rows_of_touched_partitions_take_time() -> None:
    works = (
        Work(1_000_000, 100, touched=touched) for touched in (0, 200_000, 1_000_000, 9 * 10**6)
    )
    none, some, all_, more = (_estimates(BUILT, work).incremental for work in works)
    assert some - none == pytest.approx(TOUCHED * 200_000 * 1e-5)
    assert none < some < all_ == more


def test_a_rebuild_from_a_former_state_counts_the_rows_of_all_sources() -> None:
    reused = RefreshStats(1, True, False, Work(3_000_000), reused=True)
    known = learned(BUILT, reused, 2.0)
    assert known.full_rows == 3_000_000
    assert known.full_seconds == BUILT.full_seconds + 2.0
