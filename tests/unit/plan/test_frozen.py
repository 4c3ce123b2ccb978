"""Whether a run gives up rows that were frozen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.plan.findings import Facts
from dbt.adapters.ivm_spark.plan.frozen import ZONE, check_frozen, frozen_rows, frozen_zone
from dbt.adapters.ivm_spark.plan.refusals import RefusedError

OUTPUTS = (("day", "date"), ("seen", "timestamp"), ("n", "int"))
WHERE = "seen < '2024-01-01'"


def found(where: str, zone: str = "UTC", known: bool = True) -> Any:
    facts = Facts(OUTPUTS, {})
    frozen = frozen_rows(where, None, facts, "ivmspark")
    session = {ZONE: zone}
    return SimpleNamespace(frozen=frozen, layout=None, facts=facts, session=session, known=known)


def check(
    recorded: str, where: str, zone: str = "UTC", full: bool = False, column: str = "day"
) -> list[str]:
    """What Spark is asked; column: the state's that was called `day` when it was recorded."""
    asked: list[str] = []

    def query(sql: str) -> list[dict[str, Any]]:
        asked.append(sql)
        return [{"data_type": "boolean", "covers": True}]

    before = found(recorded).frozen
    on = "" if before is None else to_sql(before.condition).replace("day", column)
    watermark = SimpleNamespace(frozen=recorded, frozen_zone="UTC", frozen_on=on, limited=False)
    history: Any = SimpleNamespace(watermark=watermark)
    request: Any = SimpleNamespace(full_refresh=full)
    check_frozen(query, request, history, found(where, zone))
    return asked


def test_an_unchanged_condition_asks_nothing() -> None:
    assert check(WHERE, WHERE) == []
    assert check("", "") == []


def test_a_new_condition_is_tried() -> None:
    assert len(check("", "n < 3")) == 1
    described, constants = check("", "day < '2024-01-01'")
    assert described.startswith("describe query")
    assert constants == "SELECT CAST('2024-01-01' AS DATE) AS c0"


def test_a_condition_on_a_column_that_is_another_one_now_frees_rows() -> None:
    where = "day < '2024-01-01'"
    assert check(where, where) == []
    with pytest.raises(RefusedError, match="may free rows"):
        check(where, where, column="seen")


@pytest.mark.parametrize(("recorded", "where"), [("n < 3", "n < 4"), ("n < 3 and n > 1", "n < 3")])
def test_more_rows_may_be_frozen(recorded: str, where: str) -> None:
    assert check(recorded, where)


@pytest.mark.parametrize("where", ["n > 3", "n < 3 and day is null", "day is null", ""])
def test_rows_are_freed_by_a_full_refresh_only(where: str) -> None:
    with pytest.raises(RefusedError, match="may free rows"):
        check("n < 3", where)
    check("n < 3", where, full=True)


def test_a_timestamp_is_read_in_the_time_zone_of_the_state() -> None:
    assert frozen_zone(found(WHERE)) == "UTC"
    assert frozen_zone(found("day < '2024-01-01'")) == ""
    with pytest.raises(RefusedError, match="Asia/Tokyo, it freezes other rows"):
        check(WHERE, WHERE, "Asia/Tokyo")
    check(WHERE, WHERE, "Asia/Tokyo", full=True)
    check("day < '2024-01-01'", "day < '2024-01-01'", "Asia/Tokyo")


@pytest.mark.parametrize("where", ["year(day) < 2024", "cast(n as string) = 'a'", "n + 1 < 3"])
def test_a_condition_that_may_fail_later_is_refused(where: str) -> None:
    with pytest.raises(RefusedError, match="may only compare columns"):
        check("", where)
