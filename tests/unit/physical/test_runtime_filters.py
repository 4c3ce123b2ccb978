"""A change reads a big table only within the ranges of its keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import Node, Scan
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.common_subplans import share_common_subplans
from dbt.adapters.ivm_spark.physical.key_ranges import (
    KEYS as AT_MOST,
)
from dbt.adapters.ivm_spark.physical.key_ranges import (
    NAMED,
    RANGES,
    Answer,
    Answers,
    Question,
    answered,
    in_ranges,
    questions_sql,
)
from dbt.adapters.ivm_spark.physical.runtime_filters import (
    BIG_ROWS,
    narrowed,
    open_questions,
    questions,
    with_runtime_filters,
)
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from tests.unit.golden.shop import CATALOG
from tests.unit.physical.keys_in_duckdb import rows_for

JOIN = "select o.amount from shop.orders o join shop.customers c on o.customer_id = c.customer_id"
FULL = """select c.customer_id, o.amount from shop.orders o
full join shop.customers c on o.customer_id = c.customer_id"""
KEYS = {"customer_id": "bigint"}
SOURCES = ("`shop`.`orders`", "`shop`.`customers`")
BIND = Versions(dict.fromkeys(SOURCES, 8), dict.fromkeys(SOURCES, 9)).bind
BIG = SourceFacts(BIG_ROWS, KEYS)


def _change(query: str, moved: str = "orders", customers: SourceFacts = BIG) -> list[Node]:
    view = build_view(query, CATALOG)
    change = delta(view.root, Context(frozenset({f"`shop`.`{moved}`"})))
    assert change is not None
    facts = {"`shop`.`orders`": BIG, "`shop`.`customers`": customers}
    kept, root = share_common_subplans(with_runtime_filters(change, facts))
    return [*(k.relation for k in kept), root]


def _questions(parts: list[Node]) -> list[Question]:
    return list(dict.fromkeys(q for part in parts for q in questions(part)))


def _sql(parts: list[Node], answers: Answers) -> str:
    return "; ".join(to_sql(render(narrowed(part, answers), BIND)) for part in parts)


def test_the_partner_is_read_between_the_keys_of_the_change() -> None:
    change = _change(JOIN)
    (question,) = _questions(change)
    sql = _sql(change, {question: Answer((("3", "5"), ("9", "9")), nulls=False)})
    assert "BETWEEN 3 AND 5" in sql
    assert "OR `c`.`customer_id` BETWEEN 9 AND 9" in sql
    assert "NULL" not in sql


def test_without_an_answer_the_partner_is_read_whole() -> None:
    assert "BETWEEN" not in _sql(_change(JOIN), {})


def test_a_change_without_keys_reads_no_partner_row() -> None:
    change = _change(JOIN)
    (question,) = _questions(change)
    assert "WHERE FALSE" in _sql(change, {question: Answer((), nulls=True)}).upper()


def test_a_null_safe_join_keeps_rows_with_a_null_key() -> None:
    change = _change(FULL)
    answers = {q: Answer((("3", "5"),), nulls=True) for q in _questions(change)}
    assert answers
    assert "IS NULL" in _sql(change, answers)


@pytest.mark.parametrize(
    "customers",
    [
        replace(BIG, rows=BIG_ROWS - 1),
        replace(BIG, types={"customer_id": "string"}),
        replace(BIG, types={}),
    ],
    ids=["small", "another type, so another order", "unknown"],
)
def test_a_small_partner_is_not_narrowed(customers: SourceFacts) -> None:
    assert _questions(_change(JOIN, customers=customers)) == []


def test_a_window_column_has_no_source_range() -> None:
    """The window stands over a union, whose columns are looked up by their places."""
    ranked = """(select q.n, row_number() over (partition by q.n order by q.m) as place from (
        select customer_id as n, order_id as m from shop.orders
        union all select customer_id, customer_id from shop.customers) q)"""
    query = f"select o.amount from shop.orders o left join {ranked} r on o.order_id = r.place"
    assert [q.key for q in _questions(_change(query, moved="customers"))] == ["__ivm_touched_0"]


def test_types_without_an_exact_text_order_are_not_narrowed() -> None:
    view = build_view(JOIN, CATALOG)
    change = delta(view.root, Context(frozenset({"`shop`.`orders`"})))
    assert change is not None
    facts = SourceFacts(BIG_ROWS, {"customer_id": "double"})
    assert (
        with_runtime_filters(change, {"`shop`.`orders`": facts, "`shop`.`customers`": facts})
        == change
    )


def test_one_query_asks_all_questions_and_its_rows_answer_them() -> None:
    (question,) = _questions(_change(JOIN))
    other = replace(question, type_name="string")
    sql = to_sql(questions_sql([question, other]))
    assert sql.count("UNION ALL") == 1
    rows = [
        {"number": 0, "piece": 1, "low": "18", "high": "18", "keys": 1, "width": 0, "gap": 9},
        {"number": 0, "piece": 0, "low": "3", "high": "9", "keys": 3, "width": 6, "gap": 0},
        {"number": 1, "piece": 0, "low": None, "high": None, "keys": 1, "width": 0, "gap": 9},
    ]
    assert answered([question, other], rows) == {
        question: Answer((("3", "9"), ("18", "18")), nulls=False),
        other: Answer((), nulls=True),
    }


def test_a_timestamp_is_compared_in_microseconds() -> None:
    (question,) = _questions(_change(JOIN))
    moment = replace(question, type_name="timestamp")
    assert "CAST(unix_micros(MIN(`__ivm_key`)) AS STRING)" in to_sql(questions_sql([moment]))
    found = in_ranges(exp.column("t"), moment, Answer((("5", "7"),), nulls=False))
    assert found is not None
    assert to_sql(found) == (
        "t BETWEEN timestamp_micros(CAST('5' AS BIGINT)) AND timestamp_micros(CAST('7' AS BIGINT))"
    )


def _found(keys: list[int | None]) -> Answer:
    """The answer to which keys there are, by DuckDB."""
    (question,) = _questions(_change(JOIN))
    asked = replace(question, among=Scan("k", "k", (("key", "key"),)), key="key")
    return answered([asked], rows_for(questions_sql([asked]), keys))[asked]


def _ends(ranges: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
    return [(int(low), int(high)) for low, high in ranges]


def test_ranges_end_at_wide_gaps_despite_an_outlier() -> None:
    runs = [range(10_000 * n, 10_000 * n + 100, 3) for n in range(RANGES - 1)]
    found = _found([*(key for run in runs for key in run), 10**12])
    ends = [*((run[0], run[-1]) for run in runs), (10**12, 10**12)]
    assert _ends(found.ranges) == ends


def test_the_number_of_ranges_is_limited() -> None:
    runs = [range(2**n * 1_000, 2**n * 1_000 + 100, 3) for n in range(2 * RANGES)]
    found = _found([key for run in runs for key in run])
    assert len(found.ranges) == RANGES
    assert _ends(found.ranges)[-1] == (runs[-1][0], runs[-1][-1])


def test_keys_in_a_row_are_one_range() -> None:
    found = _found([*range(1, 5_000), *range(7_000, 7_100)])
    assert _ends(found.ranges) == [(1, 4_999), (7_000, 7_099)]


def test_few_scattered_keys_are_listed() -> None:
    keys = [7 * n * n for n in range(AT_MOST)]
    found = _found([*keys, None, *keys])
    assert [int(key) for key in found.keys] == keys
    assert (_ends(found.ranges), found.nulls) == ([(0, keys[-1])], True)
    (question,) = _questions(_change(JOIN))
    sql = " ".join(_sql(_change(JOIN), {question: found}).split())
    assert sql.count("`c`.`customer_id` IN (") == AT_MOST / NAMED
    assert f"{keys[1]}, {keys[2]}, " in sql


def test_outliers_beside_a_dense_range_are_listed() -> None:
    far = sorted(10**6 + 9_000 * n + step for n in range(AT_MOST // 2) for step in (0, 7))
    found = _found([*range(0, 100_000, 7), *far])
    assert [int(key) for key in found.keys] == far
    assert _ends(found.dense) == [(0, 99_995)]


@pytest.mark.parametrize("keys", [range(3), range(0, 5 * AT_MOST, 2)])
def test_dense_or_many_keys_are_not_listed(keys: range) -> None:
    assert _found([*keys]).keys == ()


def test_keys_are_not_listed_if_that_saves_little() -> None:
    found = _found([*range(0, 10**5, 2), *range(2 * 10**5, 3 * 10**5, 2), 3 * 10**5 + 50])
    assert (len(found.ranges), found.keys) == (2, ())


@pytest.mark.parametrize(
    "keys",
    [
        [-(2**63), *(2**62 + 2 * n for n in range(3)), *(10**6 * n**2 for n in range(30))],
        [2**62 + 3**n for n in range(38)],
        [*range(-500, 500), *(10**9 + 7_919 * n * n for n in range(700)), -(2**60), None],
    ],
)
def test_extreme_keys_are_found(keys: list[int | None]) -> None:
    """A double has no place for some of these, and the difference of two is no bigint."""
    (question,) = _questions(_change(JOIN))
    found = in_ranges(exp.column("k"), question, _found(keys))
    assert found is not None
    sql = sqlglot.transpile(to_sql(found), read="spark", write="duckdb")[0]
    database = duckdb.connect(":memory:")
    database.execute("create table k as select unnest(?::bigint[]) as k", [keys])
    count = database.execute(f"select count(*) from k where {sql}").fetchall()
    assert count == [(len(keys),)]


def test_a_filter_combines_listed_keys_ranges_and_null() -> None:
    (question,) = _questions(_change(JOIN))
    named = Answer((("1", "9"), ("11", "12")), True, ("1", "4"), (("6", "7"), ("11", "12")))
    found = in_ranges(exp.column("k"), question, named)
    assert found is not None
    database = duckdb.connect(":memory:")
    sql = sqlglot.transpile(to_sql(found), read="spark", write="duckdb")[0]
    values = "select unnest([1, 2, 4, 7, 9, 10, 12, null]) as k"
    kept = database.execute(f"select k from ({values}) where {sql}").fetchall()
    assert kept == [(1,), (4,), (7,), (12,), (None,)]


def test_a_question_waits_for_what_it_needs_and_is_asked_once() -> None:
    (question,) = _questions(_change(JOIN))
    asks = [(), (question,)]
    assert open_questions(asks, 0, set(), {}) == []
    assert open_questions(asks, 1, set(), {}) == []
    assert open_questions(asks, 1, set(question.needs), {}) == [question]
    known = {question: Answer((), nulls=False)}
    assert open_questions(asks, 1, set(question.needs), known) == []
