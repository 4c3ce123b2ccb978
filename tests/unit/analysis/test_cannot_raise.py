"""Which predicates can be asked of any row."""

from __future__ import annotations

import pytest
import sqlglot

from dbt.adapters.ivm_spark.analysis.cannot_raise import cannot_raise

TYPES = {"s": "string", "n": "bigint", "d": "date", "v": "varchar(9)"}


@pytest.mark.parametrize(
    "predicate",
    [
        "s = 'x'",
        "s like 'x%' or not s in ('a', 'b')",
        "n between 1 and -2",
        "(n > 5) and d >= date '2026-01-01'",
        "d < '2026-01-01'",
        "s is not null",
        "n <=> 4",
        "v = s and v like 'x%'",
    ],
)
def test_comparisons_with_constants(predicate: str) -> None:
    assert cannot_raise(sqlglot.parse_one(predicate, read="spark"), TYPES)


@pytest.mark.parametrize(
    "predicate",
    [
        "s = 5",
        "v = 5",
        "s = n",
        "cast(s as int) > 5",
        "n / 0 > 1",
        "n + 1 = 4",
        "n like '1%'",
        "unknown = 5",
        "s = 'x' or length(s) > 2",
        "n in (select 1)",
        "d < date '2026-01-01' + interval '1' year",
    ],
)
def test_predicates_that_may_raise(predicate: str) -> None:
    assert not cannot_raise(sqlglot.parse_one(predicate, read="spark"), TYPES)
