"""Windows whose ORDER BY leaves rows equal: a maintained view equals the one that is built anew,
and its rows are one of the answers of the query."""

from __future__ import annotations

import contextlib
import random

from hypothesis import given, note, settings
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.state.fill import fill
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.view.reasons import NotMaintained
from dbt.adapters.ivm_spark.view.render import render
from tests.differential.algebra.engine import Engine, bind, duck
from tests.differential.algebra.parts import window_spec
from tests.differential.algebra.queries import TABLES, queries
from tests.differential.algebra.test_algebra import EXAMPLES, SETTINGS, WINDOWS, change

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


@settings(SETTINGS, max_examples=EXAMPLES)
@given(sql=windows(), seed=st.integers(0, 2**32))
def test_a_maintained_state_equals_a_new_one(sql: str, seed: int) -> None:
    note(sql)
    with contextlib.suppress(NotMaintained):
        maintained(sql, seed)


def maintained(sql: str, seed: int) -> tuple[Engine, Layout, dict[str, str]]:
    """Build the view, change its sources, merge, and compare with a state that is built anew."""
    generator = random.Random(seed)
    engine = Engine(TABLES)
    change(engine, generator, inserts=12, deletes=0)
    view, layout, types = engine.read(sql)
    engine.build(layout)
    engine.settle()
    for _ in range(WINDOWS):
        deletes = generator.choice((0, 3, 6))
        moved = change(engine, generator, inserts=generator.choice((0, 1, 4)), deletes=deletes)
        engine.merge(view, layout, moved, insert_only=deletes == 0)
        engine.settle()
        columns = ", ".join(f'"{c}"' for c in layout.columns)
        seen = engine.bag(f'select {columns} from "v__ivm"')
        wanted = engine.bag(duck(render(fill(layout), bind)))
        assert seen == wanted, f"too many {seen - wanted}, missing {wanted - seen}"
    return engine, layout, types


def test_rows_that_are_equal_to_order_by_see_the_same_frame() -> None:
    for call in _VALUES:
        sql = (
            f"select a, b, s, {call.format(x='c')} over (partition by a order by b) as x from ("
            "select t.a, t.b, t.s, u.c from t join u on t.s = u.s) q"
        )
        for seed in range(5):
            rows = engine_rows(sql, seed)
            answers = {(a, b, x) for a, b, _, x in rows}
            assert len(answers) == len({(a, b) for a, b, _, _ in rows}), sql


def test_the_first_row_of_each_partition_is_a_first_row() -> None:
    sql = (
        "select a, b from (select a, b, row_number() over (partition by a order by b desc) as n"
        " from t) q where n = 1"
    )
    best = "select a, max(b) as b from t group by a"
    for seed in range(5):
        engine, layout, types = maintained(sql, seed)
        assert engine.view_rows(layout, types) == engine.query_rows(best)


def engine_rows(sql: str, seed: int) -> list[tuple[object, ...]]:
    engine, layout, types = maintained(sql, seed)
    return list(engine.view_rows(layout, types))
