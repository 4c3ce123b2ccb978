"""Relations that a refresh materializes before the statement that reads them."""

from __future__ import annotations

from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.tree import At, Node, Scan

FEW_ROWS = 30_000
"""Rows up to which a materialized relation is kept in the driver, where Spark runs in dbt's
process."""


@dataclass(frozen=True)
class Materialized:
    """A relation that is computed before the statements that use it.

    Attributes:
        name: the temporary view that holds it. Later relations and the statement scan that view.
        relation: a tree over sources, changes, and earlier materialized relations.
    """

    name: str
    relation: Node

    @property
    def scan(self) -> Scan:
        """Return the scan of the temporary view, under the relation's own column names."""
        return temporary(self.name, self.relation.columns)


def temporary(name: str, columns: tuple[str, ...]) -> Scan:
    """Return the scan of a temporary view with these columns."""
    return Scan(name, name, tuple((c, c) for c in columns), At.TEMPORARY)


def materialized_name(name: str, token: str) -> str:
    """Return the name of a temporary view that belongs to this refresh only.

    All sessions share Spark's cache, and Spark drops a cached view by its name (SPARK-34052). So
    two concurrent refreshes must not share a name.
    """
    return f"ivm_materialized_{name}_{token}" if token else f"ivm_materialized_{name}"
