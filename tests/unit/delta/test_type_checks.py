"""Which types stop a rule, and which have nothing to do with it."""

from __future__ import annotations

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, used_columns
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.tree import Item, Node, Project
from dbt.adapters.ivm_spark.delta.type_checks import check_types
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

TEXTS = ("note", "segment", "name")


def _describe(node: Node) -> dict[str, str]:
    """Text for what is made of columns that hold text, int for the others."""
    items = node.items if isinstance(node, Project) else [Item(c, column(c)) for c in node.columns]
    return {i.name: "string" if _is_text(i.expression) else "int" for i in items}


def _is_text(expression: exp.Expr) -> bool:
    return any(text in name for name in used_columns(expression) for text in TEXTS)


@pytest.mark.parametrize(
    "on", ["o.amount > c.customer_id", "o.amount > c.customer_id and c.segment is not null"]
)
def test_columns_that_are_not_compared_may_differ(on: str) -> None:
    root = build_view(
        f"select o.note, c.segment from shop.orders o left join shop.customers c on {on}", CATALOG
    ).root
    check_types(root, _describe)


@pytest.mark.parametrize(
    "rest",
    [
        "where exists (select 1 from shop.customers c where c.customer_id = o.note)",
        "where o.amount > (select max(customer_id) from shop.customers c where c.name = o.amount)",
        ", lateral (select c.segment from shop.customers c where c.name = o.amount "
        "order by c.segment limit 1)",
    ],
)
def test_text_is_not_matched_with_numbers(rest: str) -> None:
    """Two texts, '1' and '01', may equal one number."""
    root = build_view(f"select o.amount from shop.orders o {rest}", CATALOG).root
    with pytest.raises(NotMaintained, match="match of"):
        check_types(root, _describe)


def test_text_may_be_joined_with_numbers() -> None:
    root = build_view(
        "select o.amount from shop.orders o join shop.customers c on c.name = o.amount", CATALOG
    ).root
    check_types(root, _describe)
