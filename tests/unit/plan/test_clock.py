"""The clock's values in a query, beside those that a watermark has."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import clock_constants
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.plan.clock import check_clock, clock_reason, read_clock
from dbt.adapters.ivm_spark.sql.build import View, build_view
from dbt.adapters.ivm_spark.state.layout import layout
from tests.unit.golden.shop import CATALOG

RECENT = "select order_id from orders where ordered_on > current_date() - 7"
LABELLED = """select order_id, case when note = 'today' then 'a' end as x,
current_timestamp() > cast(ordered_on as timestamp) as late from orders"""


class Spark:
    """Gives each constant a type and one value, and each text a plan that shows the time."""

    def __init__(self, kind: str = "date", value: str = "2024-05-01") -> None:
        self.kind, self.value = kind, value
        self.plans = 0

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        if sql.startswith("explain"):
            self.plans += 1
            text = sql.replace("current_timestamp()", f"2024-05-01 10:00:00.{self.plans:06}")
            plan = f"== Optimized Logical Plan ==\nRelation s.t['{text}'#1]\n\n== Physical Plan =="
            return [{"plan": plan.replace(sql[:17], "")}]
        if "as now" in sql:
            return [{"now": "2024-05-01 10:00:00"}]
        if not sql.lower().startswith("select"):
            return []
        query = sqlglot.parse_one(sql, dialect=IvmSpark)
        assert isinstance(query, exp.Select)
        typed = "typeof" in sql.lower()
        return [{item.alias: self.kind if typed else self.value for item in query.selects}]


def constants(sql: str) -> tuple[View, list[exp.Expr]]:
    view = build_view(sql, CATALOG)
    return view, list(clock_constants(view.root))


def test_a_constant_that_the_watermark_does_not_know_is_a_rebuild() -> None:
    """Its old value is not known, so nobody knows which rows have come and gone."""
    view, found = constants(RECENT)
    assert len(found) == 1
    clock, old = read_clock(Spark(), found, 1, {"current_date()": "CAST('2024-04-30' AS DATE)"})
    assert (clock.moved, clock.unknown, old) == (True, to_sql(found[0]), {})
    reason = clock_reason(layout(view.root, {"order_id": "bigint"}, "`s`.`v`"), clock)
    assert reason is not None and reason.code is ReasonCode.CLOCK_MOVED
    known, _ = read_clock(Spark(), found, 1, clock.recorded)
    assert (known.moved, known.unknown) == (False, "")


@pytest.mark.parametrize("kind", ["string collate UTF8_LCASE", "interval day", "array<date>"])
def test_a_value_whose_type_has_no_literal_is_not_pinned(kind: str) -> None:
    class Other(Spark):
        def __call__(self, sql: str) -> list[dict[str, Any]]:
            self.kind = kind if "- 7" in sql else "date"
            return super().__call__(sql)

    _, found = constants(RECENT)
    clock, _ = read_clock(Other(), found, 1, None)
    assert [to_sql(constant).lower() for constant in clock.values] == ["current_date()"]


def test_a_label_beside_the_clock_stays_a_label() -> None:
    check_clock(Spark(), build_view(LABELLED, CATALOG).written)


def test_a_computed_time_of_day_may_be_a_label() -> None:
    """It is compared as text with a column of texts."""
    sql = "select order_id from orders where note >= '08:' || '00'"

    class Computes(Spark):
        def __call__(self, sql: str) -> list[dict[str, Any]]:
            return super().__call__(sql.replace("'08:' || '00'", "'08:00'"))

    check_clock(Computes(value="08:00"), build_view(sql, CATALOG).written)


def test_a_computed_word_is_the_clock() -> None:
    sql = "select order_id from orders where ordered_on >= 'to' || 'day'"
    with pytest.raises(NotMaintained):
        check_clock(Spark(value="today"), build_view(sql, CATALOG).written)


def test_labels_that_differ_in_their_last_character_stay_labels() -> None:
    sql = "select order_id from orders where note not in ('T1', 'T2', '08:00', '08:05', '08:0')"
    check_clock(Spark(), build_view(sql, CATALOG).written)


def test_a_label_that_changes_the_plan_is_the_clock() -> None:
    class Casts(Spark):
        def __call__(self, sql: str) -> list[dict[str, Any]]:
            return super().__call__(sql.replace("toda~0~", "no date"))

    with pytest.raises(NotMaintained) as refused:
        check_clock(Casts(), build_view(LABELLED, CATALOG).written)
    assert refused.value.reason.code is ReasonCode.EXPRESSION_NOT_DETERMINISTIC
