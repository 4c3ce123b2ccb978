"""The relation without rows, as a delta's part that did not change."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.view.tree import Filter, Node


def empty(node: Node) -> Filter:
    """No rows of the node's columns and types."""
    return Filter(node, exp.false())


def is_empty(node: Node) -> bool:
    """True for what `empty` makes."""
    return isinstance(node, Filter) and node.predicate == exp.false()
