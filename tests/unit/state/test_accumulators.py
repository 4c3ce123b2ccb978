"""Every aggregate function of Spark: which are kept by adding changes, which computed again."""

from __future__ import annotations

import re

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.functions import AGGREGATES
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.accumulators import ARGUMENT, Kind
from dbt.adapters.ivm_spark.state.change import OVERFLOW
from dbt.adapters.ivm_spark.state.layout import probe
from dbt.adapters.ivm_spark.state.merge import merge
from dbt.adapters.ivm_spark.state.target import Target
from tests.unit.golden.shop import CATALOG

ADDED = """
count(*)
count(1)
count(seconds)
count(seconds, user_id)
count(seconds) filter (where user_id > 1)
count(*) filter (where user_id > 1)
count_if(user_id > 1)
count_if(user_id > 1) filter (where seconds > 1)
regr_count(seconds, user_id)
regr_count(seconds, user_id) filter (where seconds > 1)
sum(seconds)
sum(seconds) filter (where user_id > 1)
avg(seconds)
mean(seconds)
avg(seconds) filter (where user_id > 1)
min(seconds)
max(seconds)
min(seconds) filter (where user_id > 1)
max(seconds) filter (where user_id > 1)
bit_xor(seconds)
bit_xor(seconds) filter (where user_id > 1)
any(user_id > 1)
some(user_id > 1)
bool_or(user_id > 1)
bool_or(user_id > 1) filter (where seconds > 1)
every(user_id > 1)
bool_and(user_id > 1)
bool_and(user_id > 1) filter (where seconds > 1)
"""

AGAIN = """
count(distinct seconds)
count(distinct seconds, user_id)
count(distinct seconds) filter (where user_id > 1)
count_if(distinct user_id > 1)
sum(distinct seconds)
avg(distinct seconds)
max(distinct seconds)
bit_xor(distinct seconds)
try_sum(seconds)
try_avg(seconds)
any_value(seconds)
any_value(seconds) ignore nulls
approx_count_distinct(seconds)
approx_percentile(seconds, 0.5)
approx_top_k(seconds)
approx_top_k_accumulate(seconds)
approx_top_k_combine(seconds)
array_agg(seconds)
array_agg(distinct seconds)
bit_and(seconds)
bit_or(seconds)
bitmap_and_agg(tags)
bitmap_construct_agg(seconds)
bitmap_or_agg(tags)
collect_list(seconds)
collect_list(seconds) filter (where user_id > 1)
collect_set(seconds)
corr(seconds, user_id)
count_min_sketch(seconds, 0.5, 0.5, 1)
covar_pop(seconds, user_id)
covar_samp(seconds, user_id)
first(seconds)
first(seconds, true)
first(seconds) ignore nulls
first_value(seconds) respect nulls
histogram_numeric(seconds, 5)
hll_sketch_agg(seconds)
hll_union_agg(tags)
kll_sketch_agg_bigint(seconds)
kll_sketch_agg_double(seconds)
kll_sketch_agg_float(seconds)
kurtosis(seconds)
last(seconds)
last_value(seconds) ignore nulls
listagg(seconds, ',')
listagg(seconds, ',') within group (order by user_id)
listagg(distinct seconds, ',') within group (order by seconds) filter (where user_id > 1)
string_agg(seconds, ',')
max_by(seconds, user_id)
min_by(seconds, user_id) filter (where seconds > 1)
median(seconds)
mode(seconds)
mode() within group (order by seconds)
percentile(seconds, 0.5)
percentile_approx(seconds, 0.5)
percentile_cont(0.5) within group (order by seconds)
percentile_disc(0.5) within group (order by seconds desc) filter (where user_id > 1)
regr_avgx(seconds, user_id)
regr_avgy(seconds, user_id)
regr_intercept(seconds, user_id)
regr_r2(seconds, user_id)
regr_slope(seconds, user_id)
regr_sxx(seconds, user_id)
regr_sxy(seconds, user_id)
regr_syy(seconds, user_id)
skewness(seconds)
std(seconds)
stddev(seconds)
stddev_pop(seconds)
stddev_samp(seconds)
theta_intersection_agg(tags)
theta_sketch_agg(seconds)
theta_union_agg(tags)
var_pop(seconds)
var_samp(seconds)
variance(seconds)
"""

_OF_SETS = frozenset({"grouping", "grouping_id"})


def _calls(text: str) -> list[str]:
    return text.strip().splitlines()


def _kinds(call: str, argument: str, result: str = "bigint") -> set[Kind]:
    view = build_view(f"select user_id, {call} as v from clicks group by user_id", CATALOG)
    types = {"user_id": "bigint", "v": result, ARGUMENT + "v": argument}
    layout = lay_out(view, {c: types[c] for c in probe(view.root).columns}, "`shop`.`v__ivm`")
    return {accumulator.kind for accumulator in layout.accumulators}


@pytest.mark.parametrize("call", _calls(ADDED))
def test_changes_are_added(call: str) -> None:
    truth = re.match(r"(any|some|every|bool_)", call) is not None
    assert Kind.RECOMPUTED not in _kinds(call, "boolean" if truth else "int")


@pytest.mark.parametrize("call", _calls(AGAIN))
def test_groups_are_computed_again(call: str) -> None:
    assert _kinds(call, "int") == {Kind.RECOMPUTED}


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        ("sum(seconds)", "double"),
        ("sum(seconds)", "decimal(28,7)"),
        ("avg(seconds)", "bigint"),
        ("avg(seconds)", "decimal(16,2)"),
        ("bool_and(seconds)", "string"),
        ("bit_xor(seconds)", "string"),
    ],
)
def test_types_that_are_not_certain_are_computed_again(call: str, argument: str) -> None:
    assert _kinds(call, argument) == {Kind.RECOMPUTED}


def test_wide_decimals_are_added_and_never_silently_null() -> None:
    assert Kind.SUM in _kinds("sum(seconds)", "decimal(33,4)", "decimal(38,4)")
    view = build_view("select user_id, sum(seconds) as v from clicks group by user_id", CATALOG)
    types = {"user_id": "bigint", "v": "decimal(38,4)", ARGUMENT + "v": "decimal(33,4)"}
    layout = lay_out(view, {c: types[c] for c in probe(view.root).columns}, "`shop`.`v__ivm`")
    change = delta(layout.input, Context(frozenset(view.sources)))
    assert change is not None
    parts = merge(layout, change, Target("`shop`.`v__ivm`"), insert_only=False)
    assert OVERFLOW in to_sql(render(parts.source, bind_plain)), "a change that is too large"
    updates = {name: to_sql(value) for name, value in parts.updates}
    assert OVERFLOW in updates["v"], "a total that is too large, before or after"


def test_every_aggregate_is_tried() -> None:
    tried = {call.split("(")[0] for call in (*_calls(ADDED), *_calls(AGAIN))}
    assert tried == AGGREGATES - _OF_SETS
