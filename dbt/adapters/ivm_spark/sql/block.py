"""What the builders of query blocks share: the block they return and the builder they call back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.sql.names import Names

if TYPE_CHECKING:
    from dbt.adapters.ivm_spark.sql.environment import Environment


@dataclass(frozen=True)
class Built:
    """The tree of one query block and its outputs: (label in the SQL, name in the tree)."""

    node: Node
    outputs: tuple[tuple[str, str], ...]


Ctes = dict[str, Callable[[], Built]]


class BlockBuilder(Protocol):
    """Builds the blocks inside a block, with one set of names for the whole tree."""

    names: Names
    sources: dict[str, Relation]

    def query(self, query: exp.Expr, ctes: Ctes, outer: Environment | None = None) -> Built:
        """The tree of a query block; a subquery also sees the columns of the block around it."""
        ...

    def scan(self, table: exp.Table) -> Built:
        """The scan of a source table."""
        ...


def rename(built: Built, alias: exp.Expr | None) -> Built:
    """The same block with the column names of a table alias, where it has any."""
    columns = alias.args.get("columns") if alias is not None else None
    if not columns:
        return built
    names = [c.name for c in columns]
    return Built(built.node, tuple((n, u) for n, (_, u) in zip(names, built.outputs, strict=True)))
