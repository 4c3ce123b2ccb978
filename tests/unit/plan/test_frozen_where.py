"""The condition of frozen rows: what it may be, and when another one freezes at least as much."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.plan.frozen_where import covering, frozen_condition
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError

STORED = {"day": "day_2", "k": "k", "n": "n", "price": "price"}
TYPES = {"day_2": "date", "k": "string", "n": "int", "price": "double"}


def test_the_condition_is_over_the_columns_of_the_state() -> None:
    condition = frozen_condition("DAY < '2024-01-01' and not coalesce(k = 'a', false)", STORED)
    text = "`day_2` < '2024-01-01' AND NOT coalesce(`k` = 'a', FALSE)"
    assert to_sql(condition).lower() == text.lower()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("true", "names no column"),
        ("total > 3", "names total"),
        ("t.day < '2024-01-01'", "names t.day"),
        ("sum(n) > 3", "a condition on one row"),
        ("row_number() over (partition by k) = 1", "can't be followed"),
        ("day < now()", "time of the run"),
        ("day < date 'yesterday'", "time of the run"),
        ("day < ' TODAY '", "time of the run"),
        ("n > unix_timestamp()", "time of the run"),
        ("n > rand()", "can't be followed"),
        ("k in (select 'a')", "can't be followed"),
        ("my.function(k)", "can't be followed"),
        ("day <", "can't be read"),
        ("n = 1; drop table x", "can't be read"),
        ("n = 1 group by n", "can't be read"),
    ],
)
def test_a_condition_that_may_change_is_refused(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match="frozen_where") as error:
        frozen_condition(text, STORED)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("before", "now", "if_"),
    [
        ("n < 5", "n < 5", "TRUE"),
        ("n < 5", "n < 7", "TRUE AND 5 <= 7"),
        ("n < 5", "n <= 7", "TRUE AND 5 <= 7"),
        ("n > 5", "n > 3", "TRUE AND 3 <= 5"),
        ("k = 'a' and n < 5", "k = 'a' and n < 7", "TRUE AND 5 <= 7"),
        ("n < 5 and k = 'a'", "n < 7", "TRUE AND 5 <= 7"),
        ("k < 'a'", "k < 'b'", "TRUE AND 'a' <= 'b'"),
        (
            "day < '2024-01-01'",
            "day < '2024-1-9'",
            "TRUE AND CAST('2024-01-01' AS DATE) <= CAST('2024-1-9' AS DATE)",
        ),
        (
            "day < date'2024-01-01'",
            "day < date'2025-01-01'",
            "TRUE AND CAST('2024-01-01' AS DATE) <= CAST('2025-01-01' AS DATE)",
        ),
        ("n <= 5", "n < 7", None),
        ("n < 5", "n > 7", None),
        ("n < 9007199254740993", "n < 9.007199254740992e15", None),
        ("price < 0.3", "price < 0.4", None),
        ("n < cast('10' as string)", "n < cast('9' as string)", None),
        ("n < 5", "price < 7", None),
        ("n < 5", "n < 7 and k = 'a'", None),
        ("k = 'a'", "k = 'b'", None),
        ("n < 5 or k = 'a'", "n < 7", None),
        ("n < '5'", "n < '7'", None),
        ("n < 5", "n < '7'", None),
        ("n < 5", "n < length(k)", None),
        (
            "day < '2024-01-01'",
            "day < date'2025-01-01'",
            "TRUE AND CAST('2024-01-01' AS DATE) <= CAST('2025-01-01' AS DATE)",
        ),
    ],
)
def test_more_rows_are_frozen_if_a_constant_has_moved_outwards(
    before: str, now: str, if_: str | None
) -> None:
    found = covering(frozen_condition(now, STORED), frozen_condition(before, STORED), TYPES)
    assert (None if found is None else to_sql(found)) == if_
