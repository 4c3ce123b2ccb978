"""struct(a, t.b) takes the names of its fields from the columns that it is given; named_struct says
them.

A column has other names in a tree than in the query, so every struct() becomes named_struct()
before names are resolved, as far as its arguments are written out; the columns of a star follow
when it is expanded.
"""

from __future__ import annotations

from sqlglot import exp

_VALUES = (
    exp.Anonymous,
    exp.AnonymousAggFunc,
    exp.Alias,
    exp.Select,
    exp.If,
    exp.Case,
    exp.Distinct,
)
"""Where a row constructor is a value, whose fields have names."""
_ROWS = (
    exp.In,
    exp.Predicate,
    exp.Values,
    exp.Group,
    exp.GroupingSets,
    exp.Cube,
    exp.Rollup,
    exp.Pivot,
    exp.PivotAlias,
    exp.All,
    exp.Any,
    exp.Window,
    exp.Ordered,
)
"""Where it is a list of operands, rows or keys, for which names say nothing."""


def name_fields(query: exp.Expr) -> None:
    """Give the arguments of each struct() and row constructor the names that Spark gives them.

    The query is changed in place. Source: `CreateStruct.apply` of Spark.
    """
    for row in list(query.find_all(exp.Tuple)):
        if isinstance(_around(row), _VALUES) and not is_row(row):
            row.replace(exp.Anonymous(this="struct", expressions=row.expressions))
    for call in list(query.find_all(exp.Anonymous)):
        if not is_struct(call):
            continue
        call.set("expressions", [_named(argument) for argument in call.expressions])
        if not any(a.is_star for a in call.expressions):
            call.replace(_spelled(call))


def spell_structs(expression: exp.Expr) -> exp.Expr:
    """Write named_struct() for each struct() of an expression whose stars are expanded."""

    if not any(map(is_struct, expression.find_all(exp.Anonymous))):
        return expression
    return expression.transform(lambda node: _spelled(node) if is_struct(node) else node)


def is_struct(node: exp.Expr) -> bool:
    """True for a call of struct()."""
    return isinstance(node, exp.Anonymous) and node.name.lower() == "struct"


def _spelled(call: exp.Expr) -> exp.Expr:
    """named_struct() with the fields of a call of struct()."""
    parts: list[exp.Expr] = []
    for place, argument in enumerate(call.expressions, start=1):
        name = _name(argument) or f"col{place}"
        parts += [exp.Literal.string(name), argument.unalias()]
    return exp.Anonymous(this="named_struct", expressions=parts)


def is_row(row: exp.Tuple) -> bool:
    """Whether a row constructor stands where the names of its fields say nothing."""
    around = _around(row)
    in_pivot = row.find_ancestor(exp.Pivot) is not None
    return around is None or isinstance(around, _ROWS) or in_pivot or len(row.expressions) < 2


def _around(row: exp.Expr) -> exp.Expr | None:
    around = row.parent
    while isinstance(around, (exp.Paren, exp.Tuple)):
        around = around.parent
    return around


def _named(argument: exp.Expr) -> exp.Expr:
    """An alias keeps the spelling of a name, which is lost when names are resolved."""
    if isinstance(argument, exp.Column) and not isinstance(argument.this, exp.Star):
        return exp.alias_(argument, argument.name, quoted=True)
    return argument


def _name(argument: exp.Expr) -> str:
    if isinstance(argument, exp.Dot):
        return str(argument.expression.name)
    return argument.alias_or_name if isinstance(argument, (exp.Alias, exp.Column)) else ""
