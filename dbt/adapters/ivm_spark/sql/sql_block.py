"""A SELECT under construction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import over


@dataclass
class SqlBlock:
    """A SELECT under construction.

    Attributes:
        table: the first relation after FROM.
        columns: each column of the tree as an expression of this block.
        joins: the joins after the first relation.
        laterals: the LATERAL VIEW clauses.
        where: the conjuncts of WHERE.
        broadcast: the aliases of the tables that the BROADCAST hint names.
    """

    table: exp.Expr
    columns: dict[str, exp.Expr]
    joins: list[exp.Expr] = field(default_factory=list)
    laterals: list[exp.Expr] = field(default_factory=list)
    where: list[exp.Expr] = field(default_factory=list)
    broadcast: list[str] = field(default_factory=list)

    def over(self, expression: exp.Expr) -> exp.Expr:
        """Return an expression over the tree's columns as an expression of this block."""
        return over(expression, self.columns)

    @property
    def plain(self) -> bool:
        """Return whether the block has only columns of tables, without filter or generator."""
        bare = all(isinstance(e, exp.Column) for e in self.columns.values())
        return bare and not self.where and not self.laterals

    @property
    def aliases(self) -> set[str]:
        """Return the aliases of the block's tables, which no other table in the block may have."""
        return {self.table.alias, *(join.this.alias for join in self.joins)}

    @property
    def windowed(self) -> bool:
        """Return whether a column is a window over the block's rows, which then must not change."""
        return any(e.find(exp.Window) is not None for e in self._computed())

    @property
    def has_subqueries(self) -> bool:
        """Return whether a column contains a subquery."""
        return any(e.find(exp.Query) is not None for e in self._computed())

    def _computed(self) -> Iterator[exp.Expr]:
        return (e for e in self.columns.values() if not isinstance(e, exp.Column))

    def select(self, items: list[tuple[str, exp.Expr]]) -> exp.Select:
        """Return the block's SELECT with these outputs, or with a constant if there are none."""
        given = items or [("nothing", exp.Literal.number(0))]
        select = exp.Select(
            expressions=[aliased(expression, name) for name, expression in given],
            joins=self.joins,
            laterals=self.laterals,
        )
        select.set("from_", exp.From(this=self.table))
        if self.broadcast:
            aliases = [exp.to_identifier(alias, quoted=True) for alias in self.broadcast]
            hint = exp.JoinHint(this="BROADCAST", expressions=aliases)
            select.set("hint", exp.Hint(expressions=[hint]))
        if self.where:
            select.set("where", exp.Where(this=exp.and_(*self.where, wrap=True, copy=False)))
        return select


def aliased(expression: exp.Expr, name: str) -> exp.Expr:
    """Return the expression as an output of that name."""
    return exp.alias_(expression, name, quoted=True)


def alias_of(name: str, columns: tuple[str, ...] = ()) -> exp.TableAlias:
    """Return `AS name(columns)`, the alias of a table."""
    quoted = [exp.to_identifier(c, quoted=True) for c in columns]
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=quoted)


def columns_of(alias: str, columns: tuple[str, ...]) -> dict[str, exp.Expr]:
    """Return the columns of the table with that alias, by their names in the tree."""
    return {c: exp.column(c, table=alias, quoted=True) for c in columns}
