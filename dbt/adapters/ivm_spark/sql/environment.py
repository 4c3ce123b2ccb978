"""The scope of an expression: turns qualified names into names of the tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.columns import column, is_variable, over, used_columns
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.expressions import check
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Scan
from dbt.adapters.ivm_spark.sql.block import Built
from dbt.adapters.ivm_spark.sql.known_types import fields_of, known_type
from dbt.adapters.ivm_spark.sql.star import spread


class Environment:
    """The columns of the relations of one FROM clause, by alias.

    A correlated subquery also sees `outer`, the environment of its outer block.

    sources: the relations that scans read, by quoted name. `shared` has the value of each column of
    a USING, by its label; an unqualified name means that value.
    """

    def __init__(self, sources: Mapping[str, Relation], outer: Environment | None = None) -> None:
        self._sources = sources
        self._columns: dict[str, dict[str, str]] = {}
        self._blocks: dict[str, Built] = {}
        self.outer = outer
        self.shared: dict[str, exp.Expr] = {}
        self._placed: set[str] = set()

    def add(self, alias: str, block: Built) -> None:
        """Bring a relation's columns into scope.

        Raises NotMaintained (QUERY_NOT_UNDERSTOOD) for two relations with one alias.
        """
        if alias in self._columns:
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"two relations called {alias}")
        columns: dict[str, str] = {}
        for label, name in block.outputs:
            columns.setdefault(label, name)
        self._columns[alias] = columns
        self._blocks[alias] = block

    def labels(self, alias: str) -> dict[str, str]:
        """Return the columns of one relation: the name in the tree by its label."""
        return self._columns[alias]

    def remove(self, alias: str) -> None:
        """Remove a relation from scope, as after a semi join."""
        del self._columns[alias]
        del self._blocks[alias]

    def place(self, name: str) -> None:
        """Bring a column of the tree into scope that replaces a part of an expression."""
        self._placed.add(name)

    def grouped(self, key: Callable[[str], str | None]) -> Environment:
        """Return the scope above a GROUP BY.

        key: the name of the group's key that a column is, None if it is not a key.
        """
        above = Environment(self._sources, self.outer)
        for alias, columns in self._columns.items():
            keys = ((label, key(name)) for label, name in columns.items())
            above._columns[alias] = {label: name for label, name in keys if name is not None}
        for label, value in self.shared.items():
            found = {name: key(name) for name in used_columns(value)}
            grouped = {name: column(name_above) for name, name_above in found.items() if name_above}
            if grouped.keys() == found.keys():
                above.shared[label] = over(value, grouped)
        return above

    @property
    def is_constant(self) -> bool:
        """Return whether no relation in scope reads a source, so that its rows never change."""
        if self.outer is not None:
            return False
        return not any(
            isinstance(node, Scan) for block in self._blocks.values() for node in walk(block.node)
        )

    def outer_names(self) -> set[str]:
        """Return the tree's names of all columns of the outer blocks."""
        names: set[str] = set()
        around = self.outer
        while around is not None:
            names.update(name for columns in around._columns.values() for name in columns.values())
            around = around.outer
        return names

    def covers(self, expression: exp.Expr) -> bool:
        """Return whether a resolved expression uses no column of the outer blocks."""
        return not self.outer_names() & used_columns(expression)

    def resolve(self, expression: exp.Expr, windows: bool = False) -> exp.Expr:
        """Return the expression over the tree's columns.

        windows: the clause may contain window functions. Raises NotMaintained for anything unknown
        in the expression, see `dbt.adapters.ivm_spark.algebra.expressions.check`, and
        QUERY_NOT_UNDERSTOOD for a column that no relation in scope has.
        """
        if isinstance(expression, exp.Column) and not isinstance(expression.this, exp.Star):
            found = self._swap(expression)
            return found.copy() if found is expression else found
        expression = self.spread(expression)
        check(expression, windows, self.is_constant)
        return expression.transform(self._swap)

    def spread(self, expression: exp.Expr) -> exp.Expr:
        """Return the expression with columns in place of the stars in its calls.

        Raises NotMaintained for a star whose columns are not certain.
        """
        return spread(expression, self._labels, self._fields)

    def _labels(self, alias: str) -> list[tuple[str, str, str]]:
        """Return the columns of one relation, or of all in scope; see `Columns`."""
        if alias and alias not in self._blocks:
            if self.outer is None:
                raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"the star of {alias}")
            return self.outer._labels(alias)
        aliases = [alias] if alias else list(self._blocks)
        return [
            (of, label, self._spelled(self._blocks[of], label, name))
            for of in aliases
            for label, name in self._blocks[of].outputs
        ]

    @staticmethod
    def _spelled(block: Built, label: str, name: str) -> str:
        """Return a column's name as its table spells it; sqlglot has changed it to lower case."""
        if not isinstance(block.node, Scan):
            return label
        own = dict(block.node.fields)[name]
        return own if own.lower() == label.lower() else label

    def _fields(self, struct: exp.Expr) -> list[str] | None:
        """Return the fields of a qualified struct column, or of a field of one; see `Fields`."""
        root = struct.find(exp.Column)
        name = self._find(root.table, root.name) if root is not None else None
        block = self._block_of(root.table) if root is not None else None
        if name is None or block is None:
            return None
        resolved = struct.transform(self._swap)
        return fields_of(known_type(resolved, block.node, self._sources))

    def _block_of(self, alias: str) -> Built | None:
        if alias in self._blocks or self.outer is None:
            return self._blocks.get(alias)
        return self.outer._block_of(alias)

    def _swap(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Coalesce):
            return self._shared_value(node)
        if not isinstance(node, exp.Column):
            return node
        if not node.table and node.name in self._placed:
            return node
        name = self._find(node.table, node.name)
        if name is None:
            if is_variable(node):
                return node
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"the column {to_sql(node)}")
        return column(name)

    def _shared_value(self, call: exp.Coalesce) -> exp.Expr:
        """Return the value that an unqualified column of a USING has.

        sqlglot writes such a column as COALESCE over the relations that have it. A call by the user
        is an `exp.Anonymous` here.
        """
        parts = [part for part in (call.this, *call.expressions) if isinstance(part, exp.Column)]
        tables = {part.table for part in parts}
        scope: Environment | None = self
        while scope is not None and not tables & scope._columns.keys():
            scope = scope.outer
        value = scope.shared.get(parts[0].name) if scope is not None else None
        if value is None:
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"the column {to_sql(call)}")
        return value.copy()

    def _find(self, alias: str, label: str) -> str | None:
        if alias in self._columns or self.outer is None:
            return self._columns.get(alias, {}).get(label)
        return self.outer._find(alias, label)
