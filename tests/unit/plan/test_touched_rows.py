"""When a refresh counts the rows of touched partitions, how, and what it does with the number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import duckdb
import pytest
import sqlglot
from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, At, Scan
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.config import IvmConfig, RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import Situation, decide
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.plan.touched_rows import counted_touched_rows, touched_rows_query
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.scans import Bound, bind_plain
from dbt.adapters.ivm_spark.state.layout import probe
from dbt.adapters.ivm_spark.watermark.cost_model import (
    CostModel,
    RefreshStats,
    Work,
    learned,
)
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark, Watermark
from tests.unit.golden.shop import CATALOG, TYPES, facts_of_all

ORDERS = "`shop`.`orders`"
RANKS = "select order_id, rank() over (partition by customer_id order by ordered_on) as r "
BY_CUSTOMER = RANKS + "from orders"
SHARE = "select order_id, sum(amount) over (partition by customer_id) as s from orders"
LARGE = SHARE + " where amount > 1"
TWICE = """select order_id, avg(r) over (partition by customer_id) as a
from (select *, rank() over (partition by customer_id order by amount) as r from orders)"""
OF_GROUPS = """select customer_id, note, sum(amount) as s, rank() over (
partition by customer_id order by sum(amount)) as r from orders group by customer_id, note"""
JOINED = RANKS.replace("by customer_id", "by c.segment") + (
    "from orders o join customers c on o.customer_id = c.customer_id"
)
SUMS = "select customer_id, sum(amount) as s from orders group by customer_id"
ROWS = """
create schema shop;
create table shop.orders as select * from (values
    (1, 7, 1.5, 'x', date '2024-01-03'), (1, 7, 1.5, 'x', date '2024-01-04'),
    (2, 8, 2, 'y', null), (3, null, 3, null, null), (4, 9, 0.5, 'x', null))
    t(order_id, customer_id, amount, note, ordered_on);
create table shop.changes as select *, 1 as __ivm_weight from shop.orders
    where customer_id = 7 and ordered_on = date '2024-01-04'
    union all select 9, null, 3, null, null, -1
    union all select 4, 9, 0.5, 'x', null, 1;
"""


def _derivation(query: str) -> Derivation:
    view = build_view(query, CATALOG)
    types = {c: TYPES.get(c, "decimal(22,2)") for c in probe(view.root).columns}
    layout = lay_out(view, types, "`shop`.`v__ivm`")
    return Derivation(layout, {n: facts_of_all(1_000)[n] for n in view.sources})


def _bind(scan: Scan) -> Bound:
    if scan.at is not At.CHANGES:
        return bind_plain(scan)
    bound = bind_plain(replace(scan, relation="`shop`.`changes`"))
    weight = exp.column(WEIGHT, table=scan.alias, quoted=True)
    return replace(bound, columns={**bound.columns, WEIGHT: weight})


def _counted(query: str, moved: str = ORDERS) -> tuple[int, int] | None:
    found = touched_rows_query(_derivation(query).over(frozenset({moved})), _bind)
    if found is None:
        return None
    with duckdb.connect() as engine:
        engine.execute(ROWS)
        text = sqlglot.transpile(to_sql(found), "spark", "duckdb")[0]
        rows, early = zip(*engine.sql(text).fetchall(), strict=True)
        return sum(rows), sum(early)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        pytest.param(SHARE, (4, 0), id="customers 7 and 9, and those without a customer"),
        pytest.param(LARGE, (3, 0), id="of the rows that pass"),
        pytest.param(BY_CUSTOMER, (4, 1), id="one row comes before the first changed one"),
        pytest.param(TWICE, (4, 0), id="two windows over one input"),
        pytest.param(OF_GROUPS, (4, 0), id="groups ranked by their customers"),
        pytest.param(JOINED, None, id="several tables"),
        pytest.param(SUMS, None, id="no window"),
    ],
)
def test_it_counts_the_rows_that_windows_are_computed_for(
    query: str, count: tuple[int, int] | None
) -> None:
    assert _counted(query) == count


APPEND = Commit(6, "WRITE", {"mode": "Append"}, {"numOutputRows": "100"})
FIFTH = Commit(5, "WRITE", {"mode": "Append"}, {"numOutputRows": "3"}, committed="noon")
MANY = 1_000_000


def _situation(cost_model: CostModel, policy: RefreshPolicy = RefreshPolicy.AUTO) -> Situation:
    def work(changed: Mapping[str, int], insert_only: bool) -> Work:
        return Work(changed=sum(changed.values()), scans=1)

    sources = {ORDERS: SourceWatermark("table", 5, MANY, "noon")}
    return Situation(
        config=IvmConfig(refresh_policy=policy),
        fingerprint="q-c-s",
        unsupported_reason=None,
        watermark=Watermark("id", 3, "q-c-s", sources),
        exists=True,
        modified="",
        heads={ORDERS: Head(6, True, (APPEND, FIFTH), "table")},
        cost_model=cost_model,
        work=work,
    )


class Spark:
    """Answers each question with a number of rows, or fails."""

    def __init__(self, rows: int = 0, says: str = "", early: int = 0) -> None:
        self.asked = 0
        self._rows, self._says, self._early = rows, says, early

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        self.asked += 1
        if self._says:
            raise DbtDatabaseError(self._says)
        return [{"touched_rows": self._rows, "early_rows": self._early}]


def _asked(situation: Situation, spark: Spark, query: str = BY_CUSTOMER) -> Situation:
    return counted_touched_rows(situation, decide(situation), _derivation(query), spark, _bind)


UNTRIED = CostModel(10.0, MANY)


@pytest.mark.parametrize(("touched", "build"), [(100, False), (MANY, True)])
def test_a_first_refresh_by_rows_is_tried_if_it_touches_few(touched: int, build: bool) -> None:
    situation = _situation(UNTRIED)
    assert not decide(situation).build
    assert decide(_asked(situation, Spark(touched))).build is build


@pytest.mark.parametrize(
    ("cost_model", "policy", "query"),
    [
        pytest.param(replace(UNTRIED, tried=True), RefreshPolicy.AUTO, BY_CUSTOMER, id="tried"),
        pytest.param(UNTRIED, RefreshPolicy.INCREMENTAL, BY_CUSTOMER, id="no choice"),
        pytest.param(replace(UNTRIED, spread=2.0), RefreshPolicy.AUTO, BY_CUSTOMER, id="known"),
        pytest.param(CostModel(1.0, MANY), RefreshPolicy.AUTO, BY_CUSTOMER, id="rebuilt anyhow"),
        pytest.param(UNTRIED, RefreshPolicy.AUTO, SUMS, id="no window"),
        pytest.param(
            replace(CostModel(5.0, MANY), spread=9e9), RefreshPolicy.AUTO, BY_CUSTOMER, id="costly"
        ),
    ],
)
def test_it_is_not_asked_in_vain(cost_model: CostModel, policy: RefreshPolicy, query: str) -> None:
    spark = Spark(MANY)
    situation = _situation(cost_model, policy)
    assert _asked(situation, spark, query) == situation
    assert not spark.asked


def test_an_old_answer_is_asked_for_again_if_a_rebuild_takes_long() -> None:
    situation = _situation(CostModel(100.0, MANY, spread=9e9))
    assert decide(situation).build
    assert not decide(_asked(situation, Spark(5))).build


def test_without_an_answer_the_choice_stays() -> None:
    situation = _situation(UNTRIED)
    assert _asked(situation, Spark(says="[NO_ROOM] full")) == situation
    with pytest.raises(DbtDatabaseError):
        _asked(situation, Spark(says="[OPERATION_CANCELED] no SQLSTATE: XXKDA"))


def test_rows_that_stay_count_less() -> None:
    few, many = (_asked(_situation(UNTRIED), Spark(MANY // 4, early=n)) for n in (0, MANY // 4))
    assert decide(few).build
    assert not decide(many).build


@pytest.mark.parametrize("full", [True, False])
def test_later_refreshes_expect_as_many_rows_for_each_changed_one(full: bool) -> None:
    counted = decide(_asked(_situation(UNTRIED), Spark(400, early=300))).work
    assert (counted.changed, counted.touched, counted.early) == (100, 400, 300)
    found = learned(UNTRIED, RefreshStats(1, full, work=replace(counted, rows=MANY)), 10.0)
    assert (found.spread, found.early) == (4.0, 3.0)
    expected = decide(_situation(found)).work
    assert (expected.touched, expected.early) == (400, 300)
