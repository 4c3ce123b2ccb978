"""How far down a filter on a column of a query goes."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import Scan
from dbt.adapters.ivm_spark.analysis.origins import origins
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG


def reached(query: str, place: int) -> list[str] | None:
    root = build_view(query, CATALOG).root
    found = origins(root, column(root.columns[place]))
    if found is None:
        return None
    assert all(isinstance(origin.relation, Scan) for origin in found)
    return [to_sql(origin.value) for origin in found]


REACHES = {
    "select order_id, amount from orders where amount > 3": 0,
    "select customer_id, sum(amount) as s from orders group by customer_id having s > 0": 0,
    "select distinct customer_id from orders order by 1": 0,
    "select o.order_id, c.segment from orders o join customers c using (customer_id)": 0,
    "select o.order_id, c.segment from orders o left join customers c using (customer_id)": 0,
    "select o.order_id from customers c right join orders o using (customer_id)": 0,
    "select order_id from orders o where exists (select 1 from customers c where c.customer_id = "
    "o.customer_id)": 0,
    "select customer_id, row_number() over (partition by customer_id order by order_id) as n "
    "from orders": 0,
    "select order_id, x from orders lateral view explode(array(1, 2)) t as x": 0,
}
STAYS = {
    "select customer_id, sum(amount) as s from orders group by customer_id": 1,
    "select o.order_id, c.customer_id as id from orders o left join customers c using "
    "(customer_id)": 1,
    "select o.order_id from orders o full join customers c using (customer_id)": 0,
    "select order_id, row_number() over (partition by customer_id order by order_id) as n from "
    "orders": 0,
    "select order_id, x from orders lateral view explode(array(1, 2)) t as x": 1,
    "select o.amount + c.customer_id as both from orders o join customers c using (customer_id)": 0,
    "select 1 as one, amount from orders": 0,
    "select customer_id from orders except select customer_id from customers": 0,
}


@pytest.mark.parametrize("query", REACHES)
def test_a_filter_reaches_the_rows(query: str) -> None:
    found = reached(query, REACHES[query])
    assert found is not None and len(found) == 1


@pytest.mark.parametrize("query", STAYS)
def test_a_filter_stays_above(query: str) -> None:
    assert reached(query, STAYS[query]) is None


def test_each_branch_has_its_own_rows() -> None:
    query = "select order_id as id from orders union all select customer_id + 1 from customers"
    found = reached(query, 0)
    assert found is not None and len(found) == 2
