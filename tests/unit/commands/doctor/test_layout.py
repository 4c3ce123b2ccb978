"""Which big tables a change meets by which key."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.commands.doctor.layout import met_by_key
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.layout import probe
from tests.unit.golden.shop import CATALOG, TYPES, facts_of_all

ORDERS, CUSTOMERS = "`shop`.`orders`", "`shop`.`customers`"
JOIN = "select o.amount, c.name from orders o join customers c on o.customer_id = c.customer_id"
KEPT = """select c.name, o.n from customers c left join (
select customer_id as id, count(*) as n from orders where amount > 1 group by customer_id) o
on c.customer_id = o.id"""
COMPUTED = JOIN.replace("o.customer_id =", "o.customer_id + 1 =")


@pytest.mark.parametrize(
    ("query", "rows", "met"),
    [
        (JOIN, 10_000_000, {(ORDERS, "customer_id"), (CUSTOMERS, "customer_id")}),
        (JOIN, 1_000, set()),
        (KEPT, 10_000_000, {(ORDERS, "customer_id"), (CUSTOMERS, "customer_id")}),
        (COMPUTED, 10_000_000, set()),
        ("select sum(amount) as s from orders", 10_000_000, set()),
    ],
)
def test_tables_that_a_change_meets(query: str, rows: int, met: set[tuple[str, str]]) -> None:
    view = build_view(query, CATALOG)
    types = {c: TYPES.get(c, "bigint") for c in probe(view.root).columns}
    layout = lay_out(view, types, "`shop`.`v__ivm`")
    facts = {name: facts_of_all(rows)[name] for name in view.sources}
    assert set(met_by_key(Derivation(layout, facts), facts)) == met
