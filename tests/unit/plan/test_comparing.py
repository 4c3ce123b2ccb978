"""When a rebuild compares its rows with the old ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog
from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.plan.comparing import MUCH, compares, is_hopeless, may_compare
from dbt.adapters.ivm_spark.plan.config import IvmConfig
from dbt.adapters.ivm_spark.plan.decide import SMALL_ROWS, Decision
from dbt.adapters.ivm_spark.plan.findings import Facts, Findings
from dbt.adapters.ivm_spark.plan.reading import Reading
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel, RefreshStats
from dbt.adapters.ivm_spark.watermark.watermark import Watermark

MARK = Watermark("id", 3, "q", {})
FOUND = Findings(
    catalog=Catalog(),
    reading=Reading("q", None, None, repeatable=False),
    facts=Facts((("k", "int"), ("v", "double")), {}),
    layout=None,
    heads={},
    watermark=MARK,
    known=True,
    version=3,
    cost_model=CostModel(full_seconds=2.0, full_rows=1_000_000, state_rows=1_000_000),
    session={},
    table=Configuration(),
)
REQUEST = Request(
    sql="select 1", view="`s`.`v`", state="`s`.`v__ivm`", information="", described=None,
    state_exists=True, occupied_by="", config=IvmConfig(), full_refresh=False, built=frozenset(),
    readers=("`s`.`reader__ivm`",),
)  # fmt: skip
REBUILT = Decision(True, False, Reason(ReasonCode.COST_MODEL, "cheaper"), {})
SLOW, FAST = CostModel(full_seconds=20.0, full_rows=1), CostModel(full_seconds=0.5, full_rows=1)


def after(compared: bool, differed: float, refresh: int = 3) -> Findings:
    """What was found, after a rebuild of which so much differed."""
    stats = RefreshStats(compared=compared, differed=differed)
    return replace(FOUND, watermark=replace(MARK, stats=stats, refresh=refresh))


def test_a_rebuild_with_readers_may_compare() -> None:
    assert may_compare(REQUEST, FOUND, REBUILT)


@pytest.mark.parametrize(
    ("request_", "found", "decision"),
    [
        (replace(REQUEST, readers=()), FOUND, REBUILT),
        (replace(REQUEST, full_refresh=True), FOUND, REBUILT),
        (REQUEST, replace(FOUND, known=False), REBUILT),
        (REQUEST, replace(FOUND, watermark=None), REBUILT),
        (REQUEST, replace(FOUND, watermark=replace(MARK, package="0.0")), REBUILT),
        (REQUEST, replace(FOUND, alteration=Alteration(rebuild="partitions")), REBUILT),
        (REQUEST, replace(FOUND, facts=Facts((("m", "map<int,int>"),), {})), REBUILT),
        (REQUEST, replace(FOUND, facts=Facts((("a", "array<double>"),), {})), REBUILT),
        (REQUEST, replace(FOUND, facts=Facts((), {})), REBUILT),
        (REQUEST, FOUND, replace(REBUILT, first=True)),
        (REQUEST, FOUND, replace(REBUILT, build=False)),
        (REQUEST, FOUND, replace(REBUILT, reason=Reason(ReasonCode.STATE_MODIFIED))),
        (REQUEST, FOUND, replace(REBUILT, reason=Reason(ReasonCode.GENERATED_SQL_REJECTED))),
    ],
)
def test_some_rebuilds_must_replace_the_table(
    request_: Request, found: Findings, decision: Decision
) -> None:
    assert not may_compare(request_, found, decision)


def test_comparing_pays_if_readers_save_more() -> None:
    assert compares(FOUND, True, [SLOW])
    assert not compares(FOUND, True, [FAST])
    assert not compares(FOUND, True, [])
    assert not compares(FOUND, True, [CostModel()]), "nothing is known of what a reader takes"


def test_comparing_pays_if_no_row_is_expected_to_differ() -> None:
    assert compares(FOUND, False, [FAST]), "only the query itself gives other rows at times"
    assert compares(after(True, 0.0), True, [FAST])
    assert not compares(after(True, 0.01), True, [FAST])


def test_a_long_comparison_must_pay_in_any_case() -> None:
    long = replace(after(True, 0.0), cost_model=CostModel(full_seconds=20.0))
    assert not compares(long, False, [FAST])
    assert not compares(long, True, [SLOW])
    assert compares(long, False, [CostModel(full_seconds=200.0)])


def test_comparing_is_rarely_tried_again_after_many_rows_differed() -> None:
    assert not compares(after(True, MUCH + 0.1), True, [SLOW])
    assert compares(after(True, MUCH + 0.1, refresh=9), True, [SLOW])
    assert compares(after(True, MUCH - 0.1), True, [SLOW])


def test_small_states_are_not_compared() -> None:
    small = replace(FOUND, cost_model=replace(FOUND.cost_model, state_rows=SMALL_ROWS))
    assert is_hopeless(small, True)
    assert not is_hopeless(small, False)
    assert not is_hopeless(FOUND, True)
    equal = after(True, 0.0)
    assert not is_hopeless(replace(equal, cost_model=small.cost_model), True)
