"""Which columns of the sources Delta may choose files by."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.analysis.restricted_columns import restricted_columns
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

JOIN = "select order_id from orders o join customers c on o.customer_id = c.customer_id"
QUERIES: dict[str, set[str]] = {
    "select order_id, amount from orders": set(),
    "select order_id from orders where amount > 3": {"amount"},
    "select order_id from orders where (amount > 3 and order_id in (1, 2))": {"amount", "order_id"},
    "select order_id from orders where amount + order_id > 3 or customer_id is null": {
        *("amount", "order_id", "customer_id"),
    },
    "select order_id from orders where order_id = customer_id": set(),
    "select order_id from orders where (order_id > customer_id + 1)": set(),
    "select order_id from orders where order_id > customer_id or amount > 1": {
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
    JOIN: set(),
    f"{JOIN} and c.segment = 'x' and o.order_id <> c.customer_id": set(),
    f"{JOIN} and c.customer_id < 3": {"customer_id"},
    f"{JOIN} and c.customer_id <=> o.order_id and o.order_id = 3": {"customer_id", "order_id"},
    "select order_id from orders o join (select customer_id as k from customers where customer_id "
    "> 5) q on o.customer_id = q.k": {"customer_id"},
    "select order_id from orders o left join customers c on o.customer_id = c.customer_id where "
    "c.segment is null": set(),
    "select order_id from orders o where exists (select 1 from customers c where c.customer_id = "
    "o.order_id)": set(),
    "select order_id from orders o where customer_id in (select customer_id from customers c where "
    "customer_id > 3)": {"customer_id"},
    "select order_id, row_number() over (partition by customer_id order by amount) as n "
    "from orders": set(),
    "select order_id from orders order by amount limit 3": set(),
    "select distinct customer_id from orders where order_id = 1": {"order_id"},
}


def _restricted(*queries: str) -> dict[str, set[str]]:
    found = restricted_columns(build_view(query, CATALOG).root for query in queries)
    return {name.split("`")[-2]: set(columns) for name, columns in found.items()}


@pytest.mark.parametrize("query", QUERIES)
def test_columns_that_conditions_restrict(query: str) -> None:
    assert _restricted(query)["orders"] == QUERIES[query]


def test_a_source_of_two_trees_has_what_either_restricts() -> None:
    queries = ("select order_id from orders where amount > 1", "select order_id from orders")
    assert _restricted(*queries, "select customer_id from customers") == {
        "orders": {"amount"},
        "customers": set(),
    }
    assert restricted_columns(()) == {}
