"""The delta of a source is its change feed."""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.view.tree import At, Node, Scan


def delta_scan(node: Scan, derive: Derive, context: Context) -> Node | None:
    """The rows of the change feed between the versions, weighted; nothing if it did not move."""
    return replace(node, at=At.CHANGES) if node.relation in context.moved else None
