"""Windows whose ORDER BY has ties: a maintained view equals a rebuilt one, and its rows are one of
the possible answers of the query."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.delta import window
from dbt.adapters.ivm_spark.physical.runtime_filters import BIG_ROWS
from tests.budget import budget
from tests.differential.algebra.batches import SETTINGS, checked
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.parts import window_spec
from tests.differential.algebra.queries import queries

_PLACES = ("row_number()", "ntile(3)", "lag({x})", "lead({x}, 2)", "lag({x}) ignore nulls")
_VALUES = (
    "first_value({x})",
    "last_value({x})",
    "last_value({x}) ignore nulls",
    "nth_value({x}, 2)",
    "sum({x})",
    "avg({x})",
    "string_agg({x}, ',')",
    "max_by({x}, {x})",
)
_FRAMES = (
    "",
    "rows between 1 preceding and current row",
    "rows between unbounded preceding and current row",
    "rows between current row and 2 following",
    "range between unbounded preceding and current row",
    "rows between unbounded preceding and unbounded following",
    "range between unbounded preceding and unbounded following",
)


@st.composite
def windows(draw: st.DrawFn) -> str:
    """Windows over any relation, ordered by one of its columns at the most."""
    inner = draw(queries(1))
    numbers = [n for n, is_number in inner.columns if is_number]
    items = [f"q.{n}" for n, _ in inner.columns[:2]]
    for place in range(draw(st.integers(1, 3))):
        call = draw(st.sampled_from(_PLACES + _VALUES))
        argument = f"q.{draw(st.sampled_from(numbers))}" if numbers else "1"
        over = window_spec(draw, inner, all_columns=False)
        if call in _PLACES and "order by" not in over:
            call = "count({x})"
        elif call in _VALUES and "order by" in over:
            over = f"{over} {draw(st.sampled_from(_FRAMES))}"
        items.append(f"{call.format(x=argument)} over ({over}) as o{place}")
    return f"select {', '.join(items)} from ({inner.sql}) q"


_NEAR = (
    *("lag(q.{x}) over ({w})", "lead(q.{x}) over ({w})", "lag(q.{x}, 2, 0) over ({w})"),
    *("lead(q.{x}, 0) over ({w})", "sum(q.{x}) over ({w} rows between 1 preceding and 1 following)",
      "count(*) over ({w} rows between 2 preceding and 1 preceding)",
      "first_value(q.{x}) over ({w} rows between current row and 2 following)",
      "max(q.{x}) over ({w} rows 3 preceding)",
      "min(q.{x}) over ({w} rows between 1 following and 2 following)"),
)  # fmt: skip
_NEAR_BY_VALUE = (
    "sum(q.{x}) over ({w} range between 1 preceding and current row)",
    "count(*) over ({w} range 2 preceding)",
    "max(q.{x}) over ({w} range between 0 preceding and current row)",
    "min(q.{x}) over ({w} range between 3 preceding and current row)",
    "count(q.{x}) over ({w} range 1 preceding)",
)
_BEFORE = (
    *("row_number() over ({w})", "rank() over ({w})", "dense_rank() over ({w})"),
    *("lag(q.{x}) over ({w})", "lag(q.{x}) ignore nulls over ({w})", "sum(q.{x}) over ({w})"),
    *("count(*) over ({w} rows unbounded preceding)", "first_value(q.{x}) over ({w})"),
    *("last_value(q.{x}) ignore nulls over ({w} rows unbounded preceding)",
      "min(q.{x}) over ({w} rows between unbounded preceding and 1 preceding)",
      "max(q.{x}) over ({w} rows 1 preceding)"),
)  # fmt: skip
_OF_ALL_ROWS = (
    *("ntile(2) over ({w})", "percent_rank() over ({w})"),
    *("sum(q.{x}) over ({w} rows between unbounded preceding and 1 following)",
      "max(q.{x}) over ({w} range between current row and unbounded following)"),
)  # fmt: skip
_REPEATED = (
    "(select a, b, s from t lateral view explode(array_repeat(0, 2)) e as k)",
    "(select t.a, t.b, t.s from t lateral view explode(array_repeat(0, cast(t.a as int))) e as k)",
)
_RELATIONS = (
    "t",
    "(select a, b, s from t where b > 0 or b is null)",
    "(select a + 1 as a, b, s from t)",
    "(select b as a, a as b, s from t)",
    *_REPEATED,
)


@st.composite
def near_windows(draw: st.DrawFn) -> str:
    """Windows that look at few rows around their own, by number or by value, or at those before."""
    kind = draw(st.sampled_from((_NEAR, _NEAR_BY_VALUE, _BEFORE)))
    by_value = kind is _NEAR_BY_VALUE
    ordered = draw(st.sampled_from(("a", "b")))
    keys = draw(st.sampled_from(("s", "s", "s, a", "b")))
    others = "" if by_value else draw(st.sampled_from(("", ", q.a desc", ", q.s nulls last")))
    spec = f"partition by {', '.join(f'q.{k}' for k in keys.split(', '))} order by q.{ordered}"
    spec += draw(st.sampled_from(("", " desc"))) + others
    calls = st.sampled_from(kind)
    items = [
        f"{draw(calls).format(x=draw(st.sampled_from('ab')), w=spec)} as o{place}"
        for place in range(draw(st.integers(1, 3)))
    ]
    relation = draw(st.sampled_from(_RELATIONS))
    rows = f"select q.a, q.s, {', '.join(items)} from {relation} q"
    return draw(
        st.sampled_from((rows, f"select s, sum(o0) as x, count(*) as n from ({rows}) group by s"))
    )


@SETTINGS
@given(sql=near_windows(), seed=st.integers(0, 2**32))
def test_near_windows_equal_their_query(sql: str, seed: int) -> None:
    note(sql)
    _checked(sql, seed)


@pytest.mark.parametrize("call", sorted({*_NEAR, *_NEAR_BY_VALUE, *_BEFORE, *_OF_ALL_ROWS}))
def test_each_function_sees_what_changes_it(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In big sources, the rows before the first changed one are read apart from the others."""
    place = zlib.crc32(call.encode())
    for seed in range(place, place + budget(1, 12)):
        monkeypatch.setattr(window, "APART_ROWS", 0 if seed % 4 else BIG_ROWS + 1)
        order = ("a", "a desc", "b nulls last")[seed % 3]
        over = f"partition by q.s is null order by q.{order}"
        _checked(f"select q.a, q.b, {call.format(x='b', w=over)} as o from t q", seed)


@pytest.mark.parametrize("call", ("lag(q.{x})", "lead(q.{x})", "sum(q.{x})", "row_number()"))
def test_windows_see_each_of_equal_rows(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As over an ivm model that counts equal rows: it is read as each row, so often."""
    place = zlib.crc32(call.encode())
    for seed in range(place, place + budget(2, 12)):
        monkeypatch.setattr(window, "APART_ROWS", 0 if seed % 2 else BIG_ROWS + 1)
        over = f"partition by q.s is null order by q.{('b', 'b desc')[seed % 2]}"
        for relation in _REPEATED:
            told = call.format(x="a")
            _checked(f"select q.a, q.b, {told} over ({over}) as o from {relation} q", seed)


def test_near_windows_see_rows_with_a_null_key() -> None:
    """Fewer rows with a key lie before the change than the window looks back."""
    over = "partition by q.s order by q.a"
    for call in (f"lag(q.b, 2) over ({over})", f"sum(q.b) over ({over} rows 3 preceding)"):
        for seed in range(budget(4, 8)):
            _checked(f"select q.s, q.b, {call} as o from t q", seed)


@SETTINGS
@given(sql=windows(), seed=st.integers(0, 2**32))
def test_a_maintained_state_equals_a_new_one(sql: str, seed: int) -> None:
    note(sql)
    _checked(sql, seed)


def _checked(sql: str, seed: int) -> Maintained | None:
    return checked(sql, seed, Maintained.stored, Maintained.stored_anew)


def test_rows_equal_in_order_by_share_a_frame() -> None:
    for call in _VALUES:
        sql = (
            f"select a, b, s, {call.format(x='c')} over (partition by a order by b) as x from ("
            "select t.a, t.b, t.s, u.c from t join u on t.s = u.s) q"
        )
        for seed in range(budget(2, 5)):
            view = _checked(sql, seed)
            assert view is not None
            rows = list(view.shown())
            answers = {(a, b, x) for a, b, _, x in rows}
            assert len(answers) == len({(a, b) for a, b, _, _ in rows}), sql


def test_the_first_row_of_each_partition_equals_its_query() -> None:
    sql = (
        "select a, b from (select a, b, row_number() over (partition by a order by b desc) as n"
        " from t) q where n = 1"
    )
    for seed in range(5):
        view = _checked(sql, seed)
        assert view is not None
        assert view.shown() == view.rows_of("select a, max(b) as b from t group by a")
