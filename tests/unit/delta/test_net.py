"""Updates of columns that a view does not read: which sources are asked for, and how."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.net import net_changes, net_sql
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG, facts_of_all

NAMES = ("`shop`.`orders`", "`shop`.`customers`")
FACTS = facts_of_all(10)
JOIN = """select c.segment, sum(o.amount) as total from shop.orders o
join shop.customers c on c.customer_id = o.customer_id group by c.segment"""


def _asked(query: str, facts: dict[str, SourceFacts] = FACTS) -> list[str]:
    return list(net_changes(build_view(query, CATALOG).root, NAMES, facts))


def test_the_net_change_reads_only_the_columns_of_the_view() -> None:
    changes = net_changes(build_view(JOIN, CATALOG).root, NAMES, FACTS)
    assert list(changes) == list(NAMES)
    versions = Versions(dict.fromkeys(NAMES, 4), dict.fromkeys(NAMES, 5))
    text = to_sql(net_sql(list(changes.values()), versions.bind))
    first, second = (part.strip() for part in text.split("UNION ALL"))
    assert (first[:18], second[:18]) == ("SELECT 0 AS number", "SELECT 1 AS number")
    assert "table_changes('`shop`.`orders`', 4, 5)" in first
    assert "`amount`" in first and "`note`" not in first
    assert "`segment`" in second and "`name`" not in second
    assert text.count("LIMIT 1") == 2


def test_a_source_read_twice_needs_the_columns_of_both() -> None:
    twice = """select a.order_id, b.amount from shop.orders a
        join shop.orders b on a.customer_id = b.customer_id"""
    (change,) = net_changes(build_view(twice, CATALOG).root, NAMES, FACTS).values()
    assert set(change.columns) >= {"order_id", "amount", "customer_id"}


def test_a_view_of_all_columns_asks_for_no_net_change() -> None:
    assert _asked("select * from shop.orders") == []


@pytest.mark.parametrize("kind", ["double", "array<float>", "map<string,int>", "char(5)"])
def test_types_that_group_by_merges_ask_for_no_net_change(kind: str) -> None:
    """0.0 and -0.0 are one group, and 1 / x of them is not one value."""
    types = {**FACTS["`shop`.`orders`"].types, "amount": kind}
    assert _asked(JOIN, {**FACTS, "`shop`.`orders`": SourceFacts(10, types)}) == [NAMES[1]]


def test_a_varchar_is_compared_as_it_is() -> None:
    types = {**FACTS["`shop`.`orders`"].types, "amount": "varchar(5)"}
    assert NAMES[0] in _asked(JOIN, {**FACTS, "`shop`.`orders`": SourceFacts(10, types)})
