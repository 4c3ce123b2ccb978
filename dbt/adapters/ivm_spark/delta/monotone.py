"""Which operators turn more input rows into more output rows, and never fewer."""

from __future__ import annotations

from dbt.adapters.ivm_spark.view.tree import (
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Scan,
    Sort,
    UnionAll,
    Values,
)
from dbt.adapters.ivm_spark.view.walk import walk

_MONOTONE = (Scan, Values, Filter, Project, Generate, Join, UnionAll, Sort)


def monotone(node: Node) -> bool:
    """True when inserts into the sources can only insert into the relation."""
    return all(isinstance(below, _MONOTONE) for below in walk(node))
