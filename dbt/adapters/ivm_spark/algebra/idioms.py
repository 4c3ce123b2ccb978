"""Relations that many rules build: one without rows, and counted rows as a bag."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.tree import Filter, Generate, Node, Project


def empty(node: Node) -> Filter:
    """No rows of the node's columns and types."""
    return Filter(node, exp.false())


def is_empty(node: Node) -> bool:
    """True for what `empty` makes."""
    return isinstance(node, Filter) and node.predicate == exp.false()


def repeated(counted: Node, count: str, columns: tuple[str, ...]) -> Node:
    """The given columns of each row as often as its column `count` says; counts are positive."""
    copies = exp.Anonymous(
        this="array_repeat",
        expressions=[exp.Literal.number(0), exp.cast(column(count), "int")],
    )
    rows = Generate(counted, exp.Explode(this=copies), ("__ivm_copy",))
    return Project(rows, passed(columns))
