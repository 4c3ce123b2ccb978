"""Only relations whose size is bounded by the changes alone are broadcast."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.broadcast import BROADCAST_ROWS, with_broadcasts
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from tests.unit.golden.shop import CATALOG

JOIN = "select o.amount from shop.orders o join shop.customers c on o.customer_id = c.customer_id"
EXISTS = """select c.customer_id from shop.customers c
where exists (select 1 from shop.orders o where o.customer_id = c.customer_id)"""


def _sql(query: str, **changed: int) -> str:
    view = build_view(query, CATALOG)
    names = {f"`shop`.`{name}`": rows for name, rows in changed.items()}
    change = delta(view.root, Context(frozenset(names)))
    assert change is not None
    pinned = dict.fromkeys(view.sources, 9)
    bind = Versions(dict.fromkeys(view.sources, 8), pinned).bind
    return to_sql(render(with_broadcasts(change, names), bind))


def test_a_small_change_is_broadcast_to_its_partner() -> None:
    sql = _sql(JOIN, orders=10)
    assert sql.startswith("SELECT /*+ BROADCAST(`o`) */")
    assert "table_changes('`shop`.`orders`', 8, 9)) AS `o` JOIN `shop`.`customers`" in sql


def test_each_term_broadcasts_its_own_change() -> None:
    sql = _sql(JOIN, orders=10, customers=3)
    assert sql.count("BROADCAST(`o`)") == 1
    assert sql.count("BROADCAST(`c`)") == 1


@pytest.mark.parametrize("rows", [BROADCAST_ROWS + 1, 10**9])
def test_a_large_change_is_not_broadcast(rows: int) -> None:
    assert "BROADCAST" not in _sql(JOIN, orders=rows)


def test_touched_keys_are_broadcast_to_what_they_slice() -> None:
    sql = _sql(EXISTS, orders=10)
    assert "BROADCAST" in sql
    assert "LEFT SEMI JOIN (SELECT DISTINCT" in sql


def test_a_query_without_a_change_gets_no_broadcast_hint() -> None:
    view = build_view(JOIN, CATALOG)
    assert with_broadcasts(view.root, {}) == view.root
