"""Rows with counts, turned into a bag again."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.tree import Generate, Node, Project


def repeated(counted: Node, count: str, columns: tuple[str, ...]) -> Node:
    """Return each row's given columns as often as its column `count` says; counts are positive."""
    copies = exp.Anonymous(
        this="array_repeat",
        expressions=[exp.Literal.number(0), exp.cast(column(count), "int")],
    )
    rows = Generate(counted, exp.Explode(this=copies), ("__ivm_copy",))
    return Project(rows, passed(columns))
