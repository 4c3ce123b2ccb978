"""The delta of a source is its change feed; rows that the query gives have none."""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.view.tree import At, Node, Scan, Values


def delta_scan(node: Scan, derive: Derive, context: Context) -> Node | None:
    """The rows of the change feed between the versions, weighted; nothing if it did not move."""
    return replace(node, at=At.CHANGES) if node.relation in context.moved else None


def delta_values(node: Values, derive: Derive, context: Context) -> Node | None:
    """Never any change."""
    return None
