from __future__ import annotations

import pytest

from benchmarks.summary import break_even, choice, points, summary
from tests.unit.benchmarks.figures import made


def test_geometric_mean_with_and_without_models_that_had_nothing_to_do() -> None:
    cells = [
        made("a", auto=1.0, table=2.0),
        made("b", auto=1.0, table=8.0),
        made("c", kind="none", auto=0.1, table=10.0),
    ]
    sums = summary(cells)["fractions"]["0.001"]
    assert sums["geometric_mean"] == pytest.approx((2 * 8 * 100) ** (1 / 3))
    assert sums["geometric_mean_moved"] == pytest.approx(4.0)
    assert sums["worst"] == {"model": "a", "ratio": 2.0}
    assert sums["models"] == 3
    assert sums["seconds"] == pytest.approx({"auto": 2.1, "table": 20.0})


def test_the_limit_is_the_fastest_refresh_everywhere() -> None:
    cells = [
        made("a", auto=1.0, table=2.0),
        made("b", auto=4.0, table=8.0),
        made("c", kind="full", auto=0.5, table=4.0),
        made("d", kind="none", auto=0.1, table=10.0),
    ]
    limit = summary(cells)["fractions"]["0.001"]["limit"]
    assert limit["seconds"] == 1.0
    assert limit["geometric_mean"] == pytest.approx((2 * 8 * 4 * 100) ** (1 / 4))
    assert summary(cells[2:])["fractions"]["0.001"]["limit"] is None


def test_the_slowest_ratio_to_the_best_merge_is_reported() -> None:
    cells = [made("a", auto=1.1, best=1.0), made("b", auto=3.0, best=2.0), made("c", auto=9.0)]
    sums = summary(cells)["fractions"]["0.001"]
    assert sums["slowest_to_best"] == pytest.approx(1.5)
    assert sums["against"]["best"] == pytest.approx((1 / 1.1 / 1.5) ** 0.5)
    assert sums["geometric_mean"] is None
    assert sums["worst"] is None


def test_each_fraction_is_summed_up_by_itself() -> None:
    cells = [made("a", 0.01, auto=1.0, table=4.0), made("a", 0.5, auto=1.0, table=0.5)]
    sums = summary(cells)["fractions"]
    assert {name: at["geometric_mean"] for name, at in sums.items()} == {"0.01": 4.0, "0.5": 0.5}


@pytest.mark.parametrize(
    ("kind", "incremental", "full", "right"),
    [
        ("incremental", 1.0, 2.0, 1),
        ("incremental", 2.15, 2.0, 1),
        ("incremental", 2.3, 2.0, 0),
        ("full", 1.0, 2.0, 0),
        ("full", 2.0, 2.1, 1),
    ],
)
def test_a_choice_is_right_within_a_tenth(
    kind: str, incremental: float, full: float, right: int
) -> None:
    cell = made("a", kind=kind, auto=1.0, incremental=incremental, full=full)
    said = choice([cell])
    assert (said["cells"], said["right"]) == (1, right)
    assert said["mistakes"] == ([] if right else ["a at 0.001"])


def test_a_cell_without_a_choice_is_not_counted() -> None:
    never = made("a", kind="full", auto=2.0, incremental=2.0, full=2.0)
    never["rivals"]["incremental"]["kind"] = "full"
    unmoved = made("b", kind="none", auto=0.1, incremental=0.1, full=0.1)
    assert choice([never, unmoved, made("c", auto=1.0, full=1.0)])["cells"] == 0


def test_break_even_lies_between_two_fractions_on_logarithmic_scales() -> None:
    assert break_even([(0.01, 4.0), (0.1, 0.25)]) == pytest.approx(0.01 * 10**0.5)
    assert break_even([(0.001, 9.0), (0.01, 2.0), (0.1, 0.5), (0.5, 0.1)]) == pytest.approx(
        0.01 * 10**0.5
    )
    assert break_even([(0.01, 4.0), (0.1, 1.0)]) is None
    assert break_even([(0.01, 0.9), (0.1, 0.5)]) == 0.01
    assert break_even([]) is None


def test_points_are_in_the_order_of_the_fractions() -> None:
    cells = [
        made("a", 0.1, incremental=2.0, table=1.0),
        made("b", 0.1, incremental=1.0, table=1.0),
        made("a", 0.001, incremental=1.0, table=6.0),
        made("a", 0.01, table=6.0),
    ]
    assert points(cells, "a") == [(0.001, 6.0), (0.1, 0.5)]


def test_wrong_rows_are_named() -> None:
    right, wrong = made("a", auto=1.0), made("b", auto=1.0)
    right["right"], wrong["right"] = True, False
    assert summary([right, wrong])["wrong"] == ["b at 0.001"]
    wrong["wrong"] = ["merge"]
    assert summary([right, wrong])["wrong"] == ["b at 0.001 (merge)"]


def test_most_jobs_are_of_an_incremental_refresh() -> None:
    few, many, full = made("a", auto=1.0), made("b", auto=1.0), made("c", kind="full", auto=1.0)
    many["rivals"]["auto"]["jobs"] = 12
    full["rivals"]["auto"]["jobs"] = 99
    assert summary([few, many, full])["most_jobs"] == {"model": "b at 0.001", "jobs": 12}
