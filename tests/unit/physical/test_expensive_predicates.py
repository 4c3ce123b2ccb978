"""A regular expression runs on the rows that a change joins, not on those of a whole table."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Materialize, Node
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.expensive_predicates import (
    MATCHED_ROWS,
    defer_expensive_predicates,
)
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.layout import core_of
from tests.unit.golden.shop import CATALOG, facts_of_all

ORDERS = "`shop`.`orders`"
COUNTED = """select c.customer_id, c.name from shop.customers c where not exists (
select 1 from shop.orders o where o.customer_id = c.customer_id and {condition})"""
SLOW = (
    "o.note like '%special%requests%'",
    "o.note not like 'a_c'",
    "o.note ilike 'a%'",
    "o.note rlike '^a'",
    "(o.amount > 3 or o.note like '%a%b')",
    "o.note like concat(o.note, '%')",
)
FAST = (
    "o.note like 'a%'",
    "o.note like '%a'",
    "o.note like '%a%'",
    "o.note like 'a%b'",
    "o.note = 'a%b%'",
    "o.amount > 3",
)


def _stages(condition: str, rows: int) -> list[Node]:
    core = core_of(build_view(COUNTED.format(condition=condition), CATALOG).root)
    known = facts_of_all(rows)
    change = delta(core, Context(frozenset({ORDERS}), known))
    assert change is not None
    late = defer_expensive_predicates(change, {name: facts.rows for name, facts in known.items()})
    assert late.columns == change.columns
    return [n for n in walk(late) if isinstance(n, Materialize)]


@pytest.mark.parametrize("condition", SLOW)
def test_a_regular_expression_runs_after_the_join(condition: str) -> None:
    assert _stages(condition, MATCHED_ROWS)
    assert not _stages(condition, MATCHED_ROWS - 1)


@pytest.mark.parametrize("condition", FAST)
def test_a_simple_comparison_runs_before_the_join(condition: str) -> None:
    assert not _stages(condition, MATCHED_ROWS)
