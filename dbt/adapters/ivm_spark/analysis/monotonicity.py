"""Operators that are monotone: more input rows give more output rows, never fewer."""

from __future__ import annotations

from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Scan,
    Sort,
    TimeWindow,
    UnionAll,
    Values,
)

_MONOTONE = (Scan, Values, Filter, Project, Generate, TimeWindow, Join, UnionAll, Sort)


def is_monotone(node: Node) -> bool:
    """Return whether inserts into the sources can only insert into the relation."""
    return all(isinstance(below, _MONOTONE) for below in nodes(node))
