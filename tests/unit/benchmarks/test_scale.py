import pytest

from benchmarks.scale.__main__ import PAGE, written
from benchmarks.scale.costs import COUNTS, Costs, Point, fit, grown
from benchmarks.scale.workload import Workload

TRUE = Costs(
    {
        "refreshes": 1.0,
        "jobs": 0.0,
        "rows_read": 2e-6,
        "rows_written": 1e-5,
        "bytes_shuffled": 0.0,
    }
)


def point(scale: float, jobs: float, read: float, wrote: float, shuffled: float) -> Point:
    each = dict(zip(COUNTS, (1.0, jobs, read, wrote, shuffled), strict=True))
    return Point("m", scale, 0.001, 2, each, TRUE.seconds(each, 2))


def test_the_fit_finds_the_costs_that_the_seconds_were_made_of() -> None:
    measured = [
        point(1, 10, 1e5, 1e3, 1e6),
        point(1, 30, 1e6, 1e5, 1e6),
        point(1, 20, 5e6, 1e2, 1e7),
        point(1, 15, 2e6, 3e5, 5e6),
        point(1, 25, 1e4, 2e4, 1e4),
        point(1, 11, 3e6, 2e5, 9e5),
    ]
    assert fit(measured).each == pytest.approx(TRUE.each, abs=1e-9)


def test_no_cost_is_below_zero() -> None:
    measured = [
        Point("m", 1, 0.1, 2, dict(zip(COUNTS, (1.0, jobs, 1e6, 1e4, 1e6), strict=True)), seconds)
        for jobs, seconds in ((10, 3.0), (20, 2.0), (30, 1.0))
    ]
    assert min(fit(measured).each.values()) >= 0


def test_cores_share_what_executors_do() -> None:
    counts = dict.fromkeys(COUNTS, 1.0) | {"rows_read": 1e6}
    one, four = TRUE.terms(counts, 1), TRUE.terms(counts, 4)
    assert four["rows_read"] == one["rows_read"] / 4
    assert four["refreshes"] == one["refreshes"]


def test_counts_grow_as_before_but_not_faster_than_the_data() -> None:
    small, large = point(0.1, 20, 1e4, 10, 100), point(1, 20, 1e5, 10, 1e6)
    found = grown(small, large, 10)
    assert found["jobs"] == 20
    assert found["rows_read"] == pytest.approx(1e6)
    assert found["rows_written"] == 10
    assert found["bytes_shuffled"] == pytest.approx(1e7), "100 times was more than the data grew"


def test_neighbours_touch_few_files_and_scattered_rows_all() -> None:
    sizes = {"facts": 1e9, "partner": 1e8, "groups": 1e8, "changed": 1e-4, "rows_a_file": 1e6}
    near, far = Workload(**sizes, near=True).parts(), Workload(**sizes, near=False).parts()
    assert near["partner"] == pytest.approx(1e5 + 2e6)
    assert far["partner"] == pytest.approx(1e8, rel=1e-3)
    assert near["feed"] == far["feed"] == 2e5
    assert near["written"] == far["written"] == 1e5


def test_a_single_scattered_row_touches_one_file() -> None:
    workload = Workload(1e9, 1e8, 1e8, changed=1e-9, near=False, rows_a_file=1e6)
    assert workload.parts()["state"] == pytest.approx(1e6, rel=0.01)


def test_the_page_matches_the_figures() -> None:
    assert PAGE.read_text(encoding="utf-8") == written()
