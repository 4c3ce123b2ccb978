"""Which columns of the sources Delta may choose files by."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.analysis.compared_columns import compared_columns
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

QUERIES = {
    "select order_id, amount from orders": set(),
    "select order_id from orders where amount > 3": {"amount"},
    "select order_id from orders where amount + order_id > 3 or customer_id is null": {
        *("amount", "order_id", "customer_id"),
    },
    "select a from (select amount + 1 as a, order_id from orders) q where a > 3": {"amount"},
    "select k from (select customer_id as k, sum(amount) as s from orders group by 1) q "
    "where k = 1": {"customer_id"},
    "select customer_id, sum(amount) as s from orders group by 1 having s > 1": set(),
    "select k from (select order_id as k from orders union all select customer_id from customers) "
    "q where k = 1": {"order_id"},
    "select k from (select order_id as k from orders except select customer_id from customers) q "
    "where k = 1": {"order_id"},
    "select order_id from orders o join customers c on o.customer_id = c.customer_id": {
        "customer_id"
    },
    "select order_id from orders o left join customers c on o.customer_id = c.customer_id": {
        "customer_id"
    },
    "select order_id from orders o where exists (select 1 from customers c where c.customer_id = "
    "o.order_id)": {"order_id"},
    "select order_id, row_number() over (partition by customer_id order by amount) as n "
    "from orders": set(),
    "select order_id from orders order by amount limit 3": set(),
    "select distinct customer_id from orders where order_id = 1": {"order_id"},
}


@pytest.mark.parametrize("query", QUERIES)
def test_columns_that_conditions_compare(query: str) -> None:
    found = compared_columns([build_view(query, CATALOG).root])
    assert {name: set(columns) for name, columns in found.items() if "orders" in name} == {
        name: QUERIES[query] for name in found if "orders" in name
    }
    assert any("orders" in name for name in found)


def test_a_source_of_two_trees_has_what_either_compares() -> None:
    queries = ("select order_id from orders where amount > 1", "select customer_id from customers")
    found = compared_columns(build_view(query, CATALOG).root for query in queries)
    assert sorted(map(sorted, found.values())) == [[], ["amount"]]
    assert compared_columns(()) == {}
