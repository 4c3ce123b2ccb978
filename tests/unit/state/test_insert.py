"""A state that is appended to: the INSERT, the compaction that sometimes replaces it, and the
view."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.accumulators import ARGUMENT
from dbt.adapters.ivm_spark.state.insert import Insert, insert
from dbt.adapters.ivm_spark.state.layout import Layout, probe
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.state.visible import visible_query
from tests.unit.golden.shop import CATALOG

STATE = "`shop`.`v__ivm`"
SUMS = "select user_id, sum(seconds) as s from clicks group by user_id"


def laid_out(sql: str) -> Layout:
    view = build_view(sql, CATALOG)
    types = {name: "int" if name.startswith(ARGUMENT) else "bigint" for name in _probed(view)}
    return lay_out(view, types, STATE, append=True)


def _probed(view) -> tuple[str, ...]:
    return probe(view.root).columns


def _parts(layout: Layout, compact: bool) -> Insert:
    change = delta(layout.input, Context(frozenset(["`shop`.`clicks`"])))
    assert change is not None
    return insert(layout, change, Target(STATE, compact=compact), insert_only=False)


def test_the_change_is_appended_without_empty_rows() -> None:
    parts = _parts(laid_out(SUMS), compact=False)
    assert parts.columns == ("user_id", "__ivm_nonnull_s", "s", "__ivm_count")
    assert not parts.overwrite
    text = to_sql(render(parts.source, bind_plain))
    assert "v__ivm" not in text, "what is there is not read"
    where = text[text.upper().rindex("WHERE" if "HAVING" not in text.upper() else "HAVING") :]
    for name in parts.columns[1:]:
        assert name in where, "a group that stays as it is has no row"


def test_the_view_adds_up_the_rows() -> None:
    text = to_sql(visible_query(laid_out(SUMS), {}, None))
    assert "GROUP BY" in text
    assert "SUM(" in text
    assert "raise_error" in text, "a negative count is never hidden"


def test_a_compaction_overwrites_the_state() -> None:
    parts = _parts(laid_out(SUMS), compact=True)
    assert parts.overwrite
    text = to_sql(render(parts.source, bind_plain))
    assert text.count("v__ivm") == 1
    assert "UNION ALL" in text


@pytest.mark.parametrize(
    ("sql", "appended"),
    [
        (SUMS, True),
        ("select count(*) as n from clicks", True),
        ("select distinct user_id from clicks", True),
        ("select user_id, count_if(seconds > 1) as n from clicks group by user_id", True),
        ("select user_id, max(seconds) as m from clicks group by user_id", False),
        ("select user_id, count(distinct seconds) as n from clicks group by user_id", False),
        ("select user_id, seconds from clicks", False),
    ],
)
def test_only_states_of_sums_and_counts_are_appended_to(sql: str, appended: bool) -> None:
    assert laid_out(sql).appended is appended
