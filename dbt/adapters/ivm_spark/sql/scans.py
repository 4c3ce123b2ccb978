"""Scans in SQL: a versioned table or a change feed on Spark, a plain table elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import Node, Scan
from dbt.adapters.ivm_spark.sql.sql_block import alias_of


@dataclass(frozen=True)
class Bound:
    """A scan as SQL.

    Attributes:
        table: the relation after FROM.
        columns: the expression of each column of the scan, by its name in the tree.
    """

    table: exp.Expr
    columns: dict[str, exp.Expr]


Binding = Callable[[Scan], Bound]


def bind_plain(scan: Scan, relation: str = "") -> Bound:
    """Return the source by its name, at its newest version.

    Args:
        scan: of the source.
        relation: the quoted name of what to read instead; empty for the source itself.
    """
    table = exp.to_table(relation or scan.relation, dialect="spark")
    table.set("alias", alias_of(scan.alias))
    return Bound(
        table, {name: exp.column(c, table=scan.alias, quoted=True) for name, c in scan.fields}
    )


def columns_read(root: Node, relation: str) -> frozenset[str]:
    """Return the columns that a tree reads of a relation (quoted name)."""
    return frozenset(
        column
        for node in nodes(root)
        if isinstance(node, Scan) and node.relation == relation
        for _, column in node.fields
    )


def relations_read(root: Node) -> frozenset[str]:
    """Return the quoted names of the relations that a tree reads."""
    return frozenset(node.relation for node in nodes(root) if isinstance(node, Scan))


def read_at(table: exp.Expr, version: int) -> None:
    """Pin a table in a query to a version.

    Source: Delta's documentation, "Query an older snapshot of a table (time travel)".
    """
    number = exp.Literal.number(version)
    table.set("version", exp.Version(this="VERSION", kind="AS OF", expression=number))
