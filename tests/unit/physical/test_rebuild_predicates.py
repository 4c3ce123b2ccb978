"""A semi join by equal columns is written as IN; its rows stay what they are."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest
import sqlglot

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.physical.rebuild_predicates import with_predicates
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG, facts_of_all

FACTS = facts_of_all(1)
IN = """select o.order_id, o.amount from shop.orders o
where o.customer_id in (select c.customer_id from shop.customers c where c.segment = 'a')"""
EXISTS = """select o.order_id from shop.orders o where exists (
select 1 from shop.customers c where c.customer_id = o.customer_id and c.name = o.note)"""
NESTED = f"""select c.name from shop.customers c
where c.customer_id in (select x.order_id from ({IN}) x where x.amount > 1)"""
GROUPED = """select o.note from shop.orders o where o.customer_id in (
select customer_id from shop.customers group by customer_id having count(*) > 1)"""
SEMI = """select o.note from shop.orders o
left semi join shop.customers c on o.customer_id = c.customer_id"""
ROWS = """
create schema shop;
create table shop.orders as select * from (values
    (1, 7, 1.5, 'x'), (1, 7, 1.5, 'x'), (2, 8, 2, 'y'), (3, null, 3, null), (4, 9, 4, 'x'))
    t(order_id, customer_id, amount, note);
create table shop.customers as select * from (values
    (7, 'a', 'x'), (7, 'a', 'x'), (8, 'a', 'z'), (null, 'a', null), (1, 'b', 'x'), (9, 'b', 'x'))
    t(customer_id, segment, name);
"""


def _written(query: str) -> tuple[str, str]:
    """The tree as it is and with predicates, in Spark's SQL."""
    root = build_view(query, CATALOG).root
    before, after = (render(tree, bind_plain) for tree in (root, with_predicates(root, FACTS)))
    return to_sql(before), to_sql(after)


def _bag(sql: str) -> Counter[tuple[object, ...]]:
    with duckdb.connect() as engine:
        engine.execute(ROWS)
        return Counter(engine.sql(sqlglot.transpile(sql, "spark", "duckdb")[0]).fetchall())


@pytest.mark.parametrize("query", [IN, EXISTS, NESTED, GROUPED, SEMI])
def test_a_semi_join_written_as_in_has_the_same_rows(query: str) -> None:
    before, after = _written(query)
    assert "SEMI JOIN" in before
    assert "SEMI JOIN" not in after
    assert " IN (" in after
    assert _bag(before) == _bag(after) != Counter()


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(EXISTS.replace("c.name = o.note", "c.name < o.note"), id="not an equality"),
        pytest.param(EXISTS.replace("exists", "not exists"), id="anti join"),
        pytest.param(IN.replace("o.customer_id in", "o.customer_id + 0 in"), id="computed key"),
        pytest.param(
            SEMI.replace("c.customer_id", "c.name").replace("o.customer_id", "o.order_id"),
            id="keys of two types",
        ),
        pytest.param(SEMI.replace(" = ", " <=> "), id="null-safe"),
    ],
)
def test_other_semi_joins_stay(query: str) -> None:
    before, after = _written(query)
    assert before == after
