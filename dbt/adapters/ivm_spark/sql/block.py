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
    """The tree of one query block.

    Attributes:
        node: the tree.
        outputs: (label in the SQL, name in the tree) of each output column, in order.
    """

    node: Node
    outputs: tuple[tuple[str, str], ...]


Ctes = dict[str, Callable[[], Built]]


class BlockBuilder(Protocol):
    """Builds the blocks inside a block, with one set of names for the whole tree.

    Attributes:
        names: gives each column and alias of the tree a unique name.
        sources: the relations that scans read, by quoted name.
    """

    names: Names
    sources: dict[str, Relation]

    def query(self, query: exp.Expr, ctes: Ctes, outer: Environment | None = None) -> Built:
        """Return the tree of a query block; a subquery also sees the columns of `outer`."""
        ...

    def scan(self, table: exp.Table) -> Built:
        """Return the scan of a source table."""
        ...


def rename(built: Built, alias: exp.Expr | None) -> Built:
    """Return the block with the column names that a table alias gives it, if any."""
    columns = alias.args.get("columns") if alias is not None else None
    if not columns:
        return built
    names = [c.name for c in columns]
    return Built(built.node, tuple((n, u) for n, (_, u) in zip(names, built.outputs, strict=True)))
