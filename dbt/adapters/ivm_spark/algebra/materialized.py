"""Relations that a refresh computes once, before the statement that reads them."""

from __future__ import annotations

from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.tree import At, Node, Scan


@dataclass(frozen=True)
class Materialized:
    """A relation that is computed before the statements that use it.

    Attributes:
        name: of the temporary view that it becomes; later ones and the statement scan it.
        relation: a tree over sources, changes, and earlier ones.
    """

    name: str
    relation: Node

    @property
    def scan(self) -> Scan:
        """The scan of the temporary view, under the relation's own names."""
        return temporary(self.name, self.relation.columns)


def temporary(name: str, columns: tuple[str, ...]) -> Scan:
    """The scan of a temporary view with these columns."""
    return Scan(name, name, tuple((c, c) for c in columns), At.TEMPORARY)


def materialized_name(name: str, token: str) -> str:
    """The name of a temporary view of this refresh's own. Spark's cache is one for all sessions and
    is dropped by a view's name (SPARK-34052), so two refreshes at once must not share a name."""
    return f"ivm_materialized_{name}_{token}" if token else f"ivm_materialized_{name}"
