"""What a maintained query is expected to be refreshed by.

The sources are `orders`, `customers` and `products` of `changes.py`; their columns hold NULLs and
duplicates, and no column is a key.
"""

from __future__ import annotations

from dataclasses import dataclass

ROWS, GROUPS, AFFECTED = "row_based", "group_aggregate", "affected_groups"
PARTITIONS = "affected_partitions"
ORDERS, CUSTOMERS, PRODUCTS = "orders", "customers", "products"


@dataclass(frozen=True)
class Shape:
    """A query, the technique that keeps it up to date, the sources whose changes must reach it.

    on_models: it reads other ivm models, which may not change when the sources do.
    """

    sql: str
    technique: str
    sources: frozenset[str]
    on_models: bool = False


def shape(technique: str, sql: str) -> Shape:
    """The shape of a query whose sources are written `@orders`, `@customers` and `@products`."""
    text = sql
    sources = set()
    for name in (ORDERS, CUSTOMERS, PRODUCTS):
        text = text.replace(f"@{name}", f"{{{{ source('shop', '{name}') }}}}")
        if f"@{name}" in sql:
            sources.add(name)
    if "ref('some_orders')" in sql or "ref('plain_orders')" in sql:
        sources.add(ORDERS)
    if "ref('plain_customers')" in sql:
        sources.add(CUSTOMERS)
    on_models = any(f"ref('{n}')" in sql for n in ("sales", "sales_by_region", "by_product"))
    return Shape(text, technique, frozenset(sources), on_models)
