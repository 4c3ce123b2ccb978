"""Few keys are collected, and lie where Spark would say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import At, Scan
from dbt.adapters.ivm_spark.physical import collected_keys, key_ranges
from dbt.adapters.ivm_spark.physical.broadcast import Bounds
from dbt.adapters.ivm_spark.physical.collected_keys import (
    MOST_COLLECTED,
    are_collected,
    collected,
    collected_sql,
)
from dbt.adapters.ivm_spark.physical.key_ranges import Answer, Question, answered, questions_sql
from tests.unit.physical.keys_in_duckdb import rows_for

QUESTION = Question(Scan("k", "k", (("key", "key"),), At.TEMPORARY), "key", "bigint")
FEW = Bounds({"k": MOST_COLLECTED})


def _collected(keys: list[int | None]) -> Answer:
    return collected([QUESTION], rows_for(collected_sql([QUESTION]), keys))[QUESTION]


def _computed(keys: list[int | None]) -> Answer:
    return answered([QUESTION], rows_for(questions_sql([QUESTION]), keys))[QUESTION]


NEAR = st.integers(0, 30)
FAR = st.integers(-(2**63), 2**63 - 1)
RUNS = st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 9)), max_size=12)


@settings(deadline=None)
@given(
    near=st.lists(st.none() | NEAR),
    runs=RUNS,
    most=st.integers(2, 8),
)
def test_collected_keys_lie_where_computed_ones_do(
    near: list[int | None], runs: list[tuple[int, int]], most: int
) -> None:
    keys = [*near, *(start + n for start, long in runs for n in range(long))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_ranges, "KEYS", most)
        patch.setattr(collected_keys, "KEYS", most)
        assert _collected(keys) == _computed(keys)


@settings(deadline=None)
@given(keys=st.lists(FAR))
def test_the_ranges_of_any_keys_have_all_of_them(keys: list[int | None]) -> None:
    """Spark would compute distances as doubles, which are not exact here."""
    answer = _collected(keys)
    ends = [(int(low), int(high)) for low, high in answer.finest]
    assert all(any(low <= key <= high for low, high in ends) for key in keys if key is not None)


def test_no_keys_have_no_ranges() -> None:
    assert _collected([]) == Answer((), nulls=False)
    assert _collected([None, None]) == Answer((), nulls=True)


def test_a_timestamp_is_collected_in_microseconds() -> None:
    sql = to_sql(collected_sql([replace(QUESTION, type_name="timestamp")]))
    assert "unix_micros(`__ivm_key`)" in sql


def test_one_query_asks_all_questions() -> None:
    other = replace(QUESTION, type_name="int")
    assert to_sql(collected_sql([QUESTION, other])).count("UNION ALL") == 1
    rows = [
        {"number": 1, "keys": "7,3", "nulls": True},
        {"number": 0, "keys": None, "nulls": None},
    ]
    assert collected([QUESTION, other], rows) == {
        QUESTION: Answer((), nulls=False),
        other: Answer((("3", "3"), ("7", "7")), nulls=True),
    }


@pytest.mark.parametrize(
    ("question", "bounds", "wanted"),
    [
        (QUESTION, FEW, True),
        (QUESTION, Bounds({"k": MOST_COLLECTED + 1}), False),
        (QUESTION, Bounds(), False),
        (replace(QUESTION, type_name="string"), FEW, False),
        (replace(QUESTION, type_name="date"), FEW, False),
        (replace(QUESTION, type_name="timestamp"), FEW, True),
    ],
)
def test_only_numbers_that_are_certainly_few_are_collected(
    question: Question, bounds: Bounds, wanted: bool
) -> None:
    assert are_collected([question], bounds) == wanted
    assert not are_collected([QUESTION, replace(QUESTION, type_name="decimal(9,2)")], FEW)
