"""Renames the parameters of lambda functions so that no column of a tree has the same name.

`transform(prices, q -> q * t.rate)` may move to a place where a table is called `q`.
"""

from __future__ import annotations

from sqlglot import exp

_PREFIX = "__ivm_lambda_"


def rename_parameters(query: exp.Expr) -> None:
    """Rename every parameter of the lambda functions in a query, in place."""
    for function in list(query.find_all(exp.Lambda)):
        names = {p.name for p in function.expressions if not p.name.startswith(_PREFIX)}
        for parameter in function.expressions:
            parameter.set("this", _PREFIX + parameter.name.removeprefix(_PREFIX))
        for used in list(function.this.find_all(exp.Identifier)):
            if used.name in names and _stands_alone(used):
                used.set("this", _PREFIX + used.name)


def _stands_alone(name: exp.Identifier) -> bool:
    """Return whether a name is neither a column's nor a field's, and so may be a parameter."""
    around = name.parent
    field = isinstance(around, exp.Dot) and name.arg_key == "expression"
    return not field and not isinstance(around, (exp.Column, exp.DataType, exp.ColumnDef))
