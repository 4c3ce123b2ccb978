"""What a change meets in a big table is narrowed to the ranges of the change's keys."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.facts import SourceFacts
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.ranges import (
    PIECES,
    Answer,
    Answers,
    Question,
    answered,
    in_ranges,
    narrowed,
    open_questions,
    questions,
    questions_sql,
)
from dbt.adapters.ivm_spark.physical.shared import shared
from dbt.adapters.ivm_spark.physical.within import BIG_ROWS, with_within
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.view.build import build_view
from dbt.adapters.ivm_spark.view.dialect import to_sql
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.tree import Node, Scan
from tests.unit.golden.shop import CATALOG

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
    kept, root = shared(with_within(change, facts))
    return [*(k.relation for k in kept), root]


def _questions(parts: list[Node]) -> list[Question]:
    return list(dict.fromkeys(q for part in parts for q in questions(part)))


def _sql(parts: list[Node], answers: Answers) -> str:
    return "; ".join(to_sql(render(narrowed(part, answers), BIND)) for part in parts)


def test_the_partner_is_read_between_the_keys_of_the_change() -> None:
    change = _change(JOIN)
    (question,) = _questions(change)
    sql = _sql(change, {question: Answer((("3", "5"), ("9", "9")), nulls=False)})
    assert "BETWEEN CAST('3' AS BIGINT) AND CAST('5' AS BIGINT)" in sql
    assert "OR `c`.`customer_id` BETWEEN CAST('9' AS BIGINT) AND CAST('9' AS BIGINT)" in sql
    assert "NULL" not in sql


def test_without_an_answer_it_is_read_whole() -> None:
    assert "BETWEEN" not in _sql(_change(JOIN), {})


def test_a_change_without_keys_meets_nothing() -> None:
    change = _change(JOIN)
    (question,) = _questions(change)
    assert "WHERE FALSE" in _sql(change, {question: Answer((), nulls=True)}).upper()


def test_where_null_meets_null_the_rows_without_a_key_stay() -> None:
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
def test_what_is_not_narrowed(customers: SourceFacts) -> None:
    assert _questions(_change(JOIN, customers=customers)) == []


def test_a_column_that_a_window_makes_is_of_no_table() -> None:
    """The window stands over a union, whose columns are looked up by their places."""
    ranked = """(select q.n, row_number() over (partition by q.n order by q.m) as place from (
        select customer_id as n, order_id as m from shop.orders
        union all select customer_id, customer_id from shop.customers) q)"""
    query = f"select o.amount from shop.orders o left join {ranked} r on o.order_id = r.place"
    assert [q.key for q in _questions(_change(query, moved="customers"))] == ["__ivm_touched_0"]


def test_types_without_an_order_that_text_keeps_are_not_narrowed() -> None:
    view = build_view(JOIN, CATALOG)
    change = delta(view.root, Context(frozenset({"`shop`.`orders`"})))
    assert change is not None
    facts = SourceFacts(BIG_ROWS, {"customer_id": "double"})
    assert with_within(change, {"`shop`.`orders`": facts, "`shop`.`customers`": facts}) == change


def test_one_query_asks_all_and_its_rows_are_the_answers() -> None:
    (question,) = _questions(_change(JOIN))
    other = replace(question, type_name="string")
    sql = to_sql(questions_sql([question, other]))
    assert sql.count("UNION ALL") == 1
    rows = [
        {"number": 0, "low": "9", "high": "9"},
        {"number": 0, "low": "3", "high": "5"},
        {"number": 1, "low": None, "high": None},
    ]
    assert answered([question, other], rows) == {
        question: Answer((("3", "5"), ("9", "9")), nulls=False),
        other: Answer((), nulls=True),
    }


def test_a_moment_travels_as_a_number_because_an_hour_may_come_twice() -> None:
    (question,) = _questions(_change(JOIN))
    moment = replace(question, type_name="timestamp")
    assert "CAST(unix_micros(MIN(`__ivm_key`)) AS STRING)" in to_sql(questions_sql([moment]))
    found = in_ranges(exp.column("t"), moment, Answer((("5", "7"),), nulls=False))
    assert found is not None
    assert to_sql(found) == (
        "t BETWEEN timestamp_micros(CAST('5' AS BIGINT)) AND timestamp_micros(CAST('7' AS BIGINT))"
    )


def test_ranges_end_at_the_widest_gaps_however_far_the_farthest_is() -> None:
    (question,) = _questions(_change(JOIN))
    keys = [*range(1, 9), *range(100, 109), 10**12]
    database = duckdb.connect(":memory:")
    database.execute("create table k as select unnest(?::bigint[]) as key", [keys])
    asked = replace(question, among=Scan("k", "k", (("key", "key"),)), key="key")
    sql = to_sql(questions_sql([asked]))
    found = database.execute(sqlglot.transpile(sql, read="spark", write="duckdb")[0]).fetchall()
    ends = sorted((int(low), int(high)) for _, low, high in found)
    assert len(ends) == PIECES
    assert ends[-1] == (10**12, 10**12)
    assert sum(high - low + 1 for low, high in ends) == len(keys)


def test_a_question_waits_for_what_it_needs_and_is_asked_once() -> None:
    (question,) = _questions(_change(JOIN))
    asks = [(), (question,)]
    assert open_questions(asks, 0, set(), {}) == []
    assert open_questions(asks, 1, set(), {}) == []
    assert open_questions(asks, 1, set(question.needs), {}) == [question]
    known = {question: Answer((), nulls=False)}
    assert open_questions(asks, 1, set(question.needs), known) == []
