"""The end of a run's console."""

from __future__ import annotations

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.plan import RefreshKind
from dbt.adapters.ivm_spark.refresh.summary import Refreshed, summary


def refreshed(
    model: str, kind: RefreshKind, seconds: float = 1, rebuild: float = 0, code: str = ""
) -> Refreshed:
    reason = Reason(ReasonCode(code), "a detail") if code else None
    return Refreshed(model, kind, reason, seconds, rebuild)


def lines(*one: Refreshed) -> list[str]:
    return [template.format(*values) for template, values in summary(one)]


def test_a_run_without_ivm_models_says_nothing() -> None:
    assert lines() == []


def test_kinds_are_counted() -> None:
    said = lines(
        refreshed("a", RefreshKind.INCREMENTAL),
        refreshed("b", RefreshKind.INCREMENTAL),
        refreshed("c", RefreshKind.NONE),
        refreshed("d", RefreshKind.INITIAL),
    )
    assert said == ["2 incremental, 1 unchanged, 1 built for the first time"]


def test_what_is_saved_is_against_known_rebuilds() -> None:
    said = lines(
        refreshed("a", RefreshKind.INCREMENTAL, seconds=2, rebuild=32),
        refreshed("b", RefreshKind.NONE, seconds=0, rebuild=1000),
        refreshed("slower", RefreshKind.INCREMENTAL, seconds=15, rebuild=5),
        refreshed("unknown", RefreshKind.INCREMENTAL, seconds=50),
        refreshed("rebuilt", RefreshKind.FULL, seconds=1, rebuild=90, code="COST_MODEL"),
    )
    assert said[0] == "3 incremental, 1 unchanged, 1 full; 1,020 s less than rebuilds"


def test_each_reason_has_its_models_and_what_to_do() -> None:
    window = "WINDOW_WITHOUT_PARTITION_BY"
    said = lines(
        *(refreshed(f"m{n}", RefreshKind.FULL, code="COST_MODEL") for n in range(5)),
        refreshed("ranking", RefreshKind.FULL, code=window),
        refreshed("first", RefreshKind.INITIAL, code=window),
    )
    assert said[1:] == [
        "full by COST_MODEL: m0, m1, m2 and 2 more. A rebuild is estimated to be cheaper than an "
        "incremental refresh.",
        f"full by {window}: ranking. Give the window a PARTITION BY.",
    ]


def test_names_with_braces_are_only_names() -> None:
    said = lines(refreshed("{0}", RefreshKind.FULL, code="CLOCK_MOVED"))
    assert said[1].startswith("full by CLOCK_MOVED: {0}. ")
