"""No rule passes over an operator in which the clock has moved."""

from __future__ import annotations

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import with_constants
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.delta import window
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

INTERVALS = """
select customer_id, until, row_number() over (partition by customer_id order by until) as place
from (
  select customer_id, coalesce(later, current_date()) as until from (
    select customer_id,
      lead(ordered_on) over (partition by customer_id order by ordered_on) as later
    from shop.orders))
"""


def day(text: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), "date")


def moved() -> tuple[Node, Context]:
    view = build_view(INTERVALS, CATALOG)
    values = dict.fromkeys(view.clock, day("2024-03-02"))
    old = dict.fromkeys(view.clock, day("2024-03-01"))
    return with_constants(view.root, values, old), Context(frozenset(view.sources))


def test_a_window_over_a_moved_clock_takes_the_delta_of_what_moved() -> None:
    root, context = moved()
    change = delta(root, context)
    assert change is not None


def test_a_rule_that_passes_over_a_moved_clock_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(window, "is_moved", lambda _: False)
    with pytest.raises(NotMaintained) as refused:
        delta(*moved())
    assert refused.value.reason.code is ReasonCode.CLOCK_MOVED
