"""Field names of struct(): they come from its argument columns, so named_struct() spells them out.

`struct(a, t.b)` has the fields `a` and `b`. In a tree these columns have other names. So every
struct() becomes named_struct() before names are resolved, as far as its arguments are written out.
A star in it follows when it is expanded.
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
"""Parents under which a row constructor is a value, whose fields have names."""
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
"""Parents under which a row constructor is a list of operands, rows or keys without names."""


def name_fields(query: exp.Expr) -> None:
    """Give the arguments of each struct() and row constructor the names that Spark gives them.

    Changes the query in place. Source: `CreateStruct.apply` of Spark.
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
    """Return an expression, its stars expanded, with named_struct() for each struct()."""

    if not any(map(is_struct, expression.find_all(exp.Anonymous))):
        return expression
    return expression.transform(lambda node: _spelled(node) if is_struct(node) else node)


def is_struct(node: exp.Expr) -> bool:
    """Return whether a node is a call of struct()."""
    return isinstance(node, exp.Anonymous) and node.name.lower() == "struct"


def _spelled(call: exp.Expr) -> exp.Expr:
    """Return named_struct() with the fields of a call of struct()."""
    parts: list[exp.Expr] = []
    for place, argument in enumerate(call.expressions, start=1):
        name = _name(argument) or f"col{place}"
        parts += [exp.Literal.string(name), argument.unalias()]
    return exp.Anonymous(this="named_struct", expressions=parts)


def is_row(row: exp.Tuple) -> bool:
    """Return whether a row constructor is in a position where its field names do not matter."""
    around = _around(row)
    in_pivot = row.find_ancestor(exp.Pivot) is not None
    return around is None or isinstance(around, _ROWS) or in_pivot or len(row.expressions) < 2


def _around(row: exp.Expr) -> exp.Expr | None:
    around = row.parent
    while isinstance(around, (exp.Paren, exp.Tuple)):
        around = around.parent
    return around


def _named(argument: exp.Expr) -> exp.Expr:
    """Return an argument whose alias keeps the spelling of a column's name.

    Resolving the names would lose that spelling.
    """
    if isinstance(argument, exp.Column) and not isinstance(argument.this, exp.Star):
        return exp.alias_(argument, argument.name, quoted=True)
    return argument


def _name(argument: exp.Expr) -> str:
    if isinstance(argument, exp.Dot):
        return str(argument.expression.name)
    return argument.alias_or_name if isinstance(argument, (exp.Alias, exp.Column)) else ""
