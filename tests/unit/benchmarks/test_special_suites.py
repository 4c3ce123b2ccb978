"""What the suites that are no contests compute."""

from __future__ import annotations

import re

import pytest

from benchmarks.cost import Statement
from benchmarks.suites import big_state, long_run, many_models


def test_only_histories_of_sources_are_counted() -> None:
    sent = [
        Statement.of("/* dbt */ describe history `bench`.`orders` limit 5", 0.1),
        Statement.of("describe history bench.orders", 0.1),
        Statement.of("describe history `bench`.`lineitem`", 0.1),
        Statement.of("describe history `bench`.`m0001__auto__ivm` limit 1", 0.1),
        Statement.of("select * from orders", 0.1),
    ]
    assert many_models.histories(sent) == {"lineitem": 1, "orders": 2}


def test_growth_from_ten_to_a_hundred_models() -> None:
    def of(count: int, seconds: float) -> dict[str, object]:
        return {
            "models": count,
            "moved": None,
            "seconds_a_model": seconds,
            "statements_a_model": 3.0,
            "jobs": 0,
            "histories": {"orders": 1, "customer": 2},
        }

    said = many_models.summary([of(10, 0.2), of(100, 0.3), of(50, 9.0)])
    assert said["nothing_moved"]["growth"] == pytest.approx(1.5)
    assert said["nothing_moved"]["histories_of_a_source"] == 2
    assert "orders_moved" not in said


def test_growth_of_many_refreshes_leaves_the_first_out() -> None:
    assert long_run.growth([50.0] * 20 + [1.0] * 160 + [2.0] * 20) == 2.0
    assert long_run.growth([1.0] * 200) == 1.0
    assert long_run.growth([1.0] * 19) is None


def test_a_long_run_reports_growth_and_full_refreshes() -> None:
    cells = [
        {
            "model": "m",
            "refresh": number,
            "kind": "full" if number == 5 else "incremental",
            **dict.fromkeys(long_run.FIGURES, number if number > 20 else 10),
            **({"table_seconds": number / 20} if number % 20 == 0 else {}),
        }
        for number in range(1, 41)
    ]
    said = long_run.summary(cells)["m"]
    assert said["files"] == pytest.approx(38.5 / 10)
    assert said["table_seconds"] == 2.0
    assert said["not_incremental"] == 1


@pytest.mark.parametrize("pattern", big_state.PATTERNS)
@pytest.mark.parametrize("groups", [1_500, 20_000])
def test_exactly_a_thousand_keys_are_touched(pattern: str, groups: int) -> None:
    for round_ in (1, 2, 9):
        sql = big_state.touch(groups, pattern, round_)
        where = re.sub(r"pmod\((\w+), (\d+)\) =", r"\1 % \2 ==", sql.split(" where ")[1])
        touched = eval(f"[k for k in range({groups}) if {where}]")
        assert len(touched) == big_state.TOUCHED
        assert (touched[-1] - touched[0] == big_state.TOUCHED - 1) == (
            pattern == "near" or groups < 2 * big_state.TOUCHED
        )


def test_a_state_with_too_few_groups_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 1000 groups"):
        big_state.touch(1_000, "near", 1)


def test_a_large_state_is_compared_with_a_small_one() -> None:
    def of(groups: int, pattern: str, seconds: float) -> dict[str, object]:
        rivals = {"auto": {"seconds": seconds}}
        return {"groups": groups, "pattern": pattern, "rivals": rivals, "ratio": 5.0}

    cells = [of(100, "near", 1.0), of(10, "near", 0.5), of(100, "scattered", 9.0)]
    said = big_state.summary([*cells, of(10, "scattered", 1.0)])
    assert said["near"]["large_by_small"] == 2.0
    assert said["scattered"]["large_by_small"] == 9.0
    assert said["near"]["groups"] == [10, 100]
