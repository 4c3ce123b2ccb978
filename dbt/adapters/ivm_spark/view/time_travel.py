"""A table read as it was."""

from __future__ import annotations

from sqlglot import exp


def read_at(table: exp.Expr, version: int) -> None:
    """Make a table in a query be read at a version (Delta's documentation, "Query an older
    snapshot of a table (time travel)")."""
    number = exp.Literal.number(version)
    table.set("version", exp.Version(this="VERSION", kind="AS OF", expression=number))
