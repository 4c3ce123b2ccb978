"""A change reads only the files of a big source that can have its keys."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Distinct,
    Filter,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    RuntimeFilter,
    Scan,
    SemiJoin,
    UnionAll,
)
from dbt.adapters.ivm_spark.physical.file_pruning import FileKeys, PrunedScan
from dbt.adapters.ivm_spark.physical.key_ranges import Answer, Question
from dbt.adapters.ivm_spark.physical.runtime_filters import narrowed, pruned_scans
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.render import render

LINES, OTHERS = "`s`.`lines`", "`s`.`others`"
VIEW = "`files`"
CHANGE = Scan("`change`", "d", (("d_key", "key"),), At.TEMPORARY)
SCAN = Scan(LINES, "l", (("l_key", "key"), ("l_price", "price")))
OTHER = Scan(OTHERS, "o", (("o_key", "key"),))
AGAIN = Scan(LINES, "a", (("a_key", "key"),))
JOINED = (exp.EQ(this=column("l_key"), expression=column("o_key")),)
CHEAP = (exp.LT(this=column("l_price"), expression=exp.Literal.number(3)),)
KEY = (Item("k", column("l_key")),)
BIND = Versions({}, {LINES: 9, OTHERS: 9}).bind


def _near(rows: Node, key: str, type_name: str = "bigint") -> RuntimeFilter:
    return RuntimeFilter(rows, CHANGE, key, "d_key", type_name, null_safe=False)


def _answers(node: RuntimeFilter) -> dict[Question, Answer]:
    question = Question(node.among, node.key, node.type_name)
    return {question: Answer((("3", "5"),), nulls=False)}


PASSING = {
    "scan": (SCAN, "l_key"),
    "filter": (Filter(SCAN, CHEAP[0]), "l_key"),
    "another name": (Project(SCAN, KEY), "k"),
    "inner join": (Join((OTHER, SCAN), JOINED), "l_key"),
    "semi join": (SemiJoin(SCAN, OTHER, JOINED), "l_key"),
    "anti join": (SemiJoin(SCAN, OTHER, JOINED, anti=True), "l_key"),
    "union": (UnionAll((Project(OTHER, (Item("k", column("o_key")),)), Project(SCAN, KEY))), "k"),
    "filter of a projection": (Filter(Project(SCAN, KEY), exp.true()), "k"),
}
OTHERWISE = {
    "computed": (Project(SCAN, (Item("k", exp.Neg(this=column("l_key"))),)), "k"),
    "aggregate": (Aggregate(SCAN, KEY, ()), "k"),
    "distinct": (Distinct(SCAN), "l_key"),
    "outer join": (OuterJoin(OTHER, SCAN, "LEFT", JOINED), "l_key"),
    "change": (Scan(LINES, "l", SCAN.fields, At.CHANGES), "l_key"),
}


@pytest.mark.parametrize(("rows", "key"), PASSING.values(), ids=PASSING)
def test_a_scan_under_operators_of_single_rows_is_pruned(rows: Node, key: str) -> None:
    near = _near(rows, key)
    answers = _answers(near)
    (found,) = (scan for scan in pruned_scans(near, answers) if scan.relation == LINES)
    assert found.column == "key"
    sql = to_sql(render(narrowed(near, answers, {found: VIEW}), BIND))
    assert sql.count(VIEW) == 1
    assert LINES not in sql
    assert "BETWEEN 3 AND 5" in sql


@pytest.mark.parametrize(("rows", "key"), OTHERWISE.values(), ids=OTHERWISE)
def test_a_scan_whose_other_rows_matter_is_not_pruned(rows: Node, key: str) -> None:
    near = _near(rows, key)
    assert pruned_scans(near, _answers(near)) == []


def test_a_key_without_an_exact_place_is_not_pruned() -> None:
    near = _near(SCAN, "l_key", "string")
    assert pruned_scans(near, _answers(near)) == []


def test_nothing_is_pruned_before_the_answer() -> None:
    assert pruned_scans(_near(SCAN, "l_key"), {}) == []


def test_only_the_scan_of_the_key_is_pruned() -> None:
    """The partners of a semi join are rows of the same table, and all of them matter."""
    same = (exp.EQ(this=column("l_price"), expression=column("a_key")),)
    near = _near(SemiJoin(SCAN, AGAIN, same), "l_key")
    (found,) = pruned_scans(near, _answers(near))
    sql = to_sql(render(narrowed(near, _answers(near), {found: VIEW}), BIND))
    assert sql.count(VIEW) == 1
    assert sql.count(LINES) == 1


def test_a_scan_without_a_view_is_read_by_its_name() -> None:
    near = _near(SCAN, "l_key")
    (found,) = pruned_scans(near, _answers(near))
    assert LINES in to_sql(render(narrowed(near, _answers(near), {found: None}), BIND))


def _keys(answer: Answer, type_name: str = "bigint") -> FileKeys:
    keys = FileKeys.of(PrunedScan(LINES, "key", Question(CHANGE, "d_key", type_name)), answer)
    assert keys is not None
    return keys


def _statistics(least: object, most: object, nulls: int = 0) -> dict[str, object]:
    said = {"minValues": {"key": least}, "maxValues": {"key": most}, "nullCount": {"key": nulls}}
    return {"numRecords": 9, **said}


NUMBERS = st.integers(-40, 40)


@given(
    keys=st.sets(NUMBERS),
    apart=st.sets(NUMBERS),
    file=st.lists(NUMBERS, min_size=1),
    named=st.booleans(),
)
def test_a_file_is_read_if_it_may_have_a_key(
    keys: set[int], apart: set[int], file: list[int], named: bool
) -> None:
    """Keys as pieces of neighbours, some of them named one by one."""
    pieces: list[list[int]] = []
    for key in sorted(keys | apart):
        if pieces and key == pieces[-1][-1] + 1:
            pieces[-1].append(key)
        else:
            pieces.append([key])
    ends = tuple((str(piece[0]), str(piece[-1])) for piece in pieces)
    answer = Answer(ends, nulls=False)
    if named:
        single = tuple(low for low, high in ends if low == high)
        answer = Answer(ends, False, single, tuple(e for e in ends if e[0] not in single))
    least, most = min(file), max(file)
    wanted = any(least <= key <= most for key in keys | apart)
    assert _keys(answer).may_be_in(_statistics(least, most)) == wanted


def test_dates_are_compared_as_days() -> None:
    keys = _keys(Answer((("2026-01-31", "2026-02-02"),), nulls=False), "date")
    day = date(2026, 2, 2)
    assert keys.may_be_in(_statistics(str(day), str(day)))
    assert not keys.may_be_in(_statistics(str(day + timedelta(1)), "2027-01-01"))
    assert keys.may_be_in(_statistics("+10000-01-01", "+10000-01-01")), "a date without a place"


def test_a_file_with_nulls_is_read_if_they_are_keys() -> None:
    answer = Answer((("3", "5"),), nulls=True)
    assert _keys(answer).may_be_in(_statistics(7, 9, nulls=1))
    assert not _keys(answer).may_be_in(_statistics(7, 9))
    assert not _keys(Answer((("3", "5"),), nulls=False)).may_be_in(_statistics(7, 9, nulls=1))


@pytest.mark.parametrize(
    "statistics",
    [
        {},
        {"numRecords": 1},
        {"minValues": {"key": 8}, "maxValues": {"key": 9}},
        {"minValues": {"KEY": 8}, "maxValues": {"KEY": 9}, "nullCount": {"KEY": 0}},
        {"minValues": {"key": None}, "maxValues": {"key": None}, "nullCount": {"key": 0}},
        {"minValues": {"key": 8.5}, "maxValues": {"key": 9.5}, "nullCount": {"key": 0}},
    ],
)
def test_a_file_whose_statistics_do_not_tell_is_read(statistics: dict[str, object]) -> None:
    assert _keys(Answer((("3", "5"),), nulls=False)).may_be_in(statistics)


def test_keys_without_a_place_prune_nothing() -> None:
    scan = PrunedScan(LINES, "key", Question(CHANGE, "d_key", "date"))
    assert FileKeys.of(scan, Answer((("-0044-03-15", "2026-01-01"),), nulls=False)) is None
