"""Writes a Pivot or Unpivot node as the clause after a table."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, used_columns
from dbt.adapters.ivm_spark.algebra.tree import Pivot, Unpivot


def pivot_inputs(node: Pivot | Unpivot) -> set[str]:
    """Return the columns that the table before the clause must have, and no others.

    Any other column would become a key of the PIVOT, or the UNPIVOT would keep it.
    """
    if isinstance(node, Pivot):
        return {*node.keys, *used_columns(*node.by, *node.aggregates)}
    return {*node.kept, *(c for _, columns in node.parts for c in columns)}


def pivot_clause(node: Pivot | Unpivot) -> tuple[exp.Pivot, dict[str, exp.Expr]]:
    """Return the clause, and each column of the node as an expression over the clause's result."""
    return _pivot(node) if isinstance(node, Pivot) else _unpivot(node)


def _pivot(node: Pivot) -> tuple[exp.Pivot, dict[str, exp.Expr]]:
    calls = [
        exp.alias_(call.copy(), f"a{place}", quoted=True)
        for place, call in enumerate(node.aggregates)
    ]
    given = [
        exp.PivotAlias(this=_one(values), alias=exp.to_identifier(f"v{place}", quoted=True))
        for place, values in enumerate(node.values)
    ]
    names: dict[str, exp.Expr] = {key: column(key) for key in node.keys}
    for place, output in enumerate(node.outputs):
        value, call = divmod(place, len(calls))
        names[output] = column(f"v{value}_a{call}" if len(calls) > 1 else f"v{value}")
    field = exp.In(this=_one(node.by), expressions=given)
    return exp.Pivot(expressions=calls, fields=[field], unpivot=False), names


def _unpivot(node: Unpivot) -> tuple[exp.Pivot, dict[str, exp.Expr]]:
    parts = [
        exp.PivotAlias(
            this=_one(tuple(column(c) for c in columns)),
            alias=exp.to_identifier(label, quoted=True),
        )
        for label, columns in node.parts
    ]
    names = [exp.to_identifier(value, quoted=True) for value in node.values]
    values = names[0] if len(names) == 1 else exp.Tuple(expressions=names)
    field = exp.In(this=exp.to_identifier(node.name, quoted=True), expressions=parts)
    clause = exp.Pivot(expressions=[values], fields=[field], unpivot=True, include_nulls=node.nulls)
    return clause, {c: column(c) for c in node.columns}


def _one(expressions: tuple[exp.Expr, ...]) -> exp.Expr:
    copies = [e.copy() for e in expressions]
    return copies[0] if len(copies) == 1 else exp.Tuple(expressions=copies)
