"""Expands the calls of SQL functions of the user's own: CREATE FUNCTION ... RETURN expression.

`add_tax(amount)`, created by `create function add_tax(net decimal(10,2)) returns decimal(12,2)
return net * 1.19`, becomes `cast(cast(amount as decimal(10,2)) * 1.19 as decimal(12,2))`, as in
Spark's own plan. The names in the body are the parameters; a body that contains a query has other
names too, and is not expanded.

Source: `SQLFunction` and `ResolveSQLFunctions` of Spark.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Function, function_key
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.algebra.functions import SPARKS_OWN, trust
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.sql.prepare import prepare

RANDOM = "which is not deterministic"
MAX_DEPTH = 32
"""How deep calls of functions in functions are followed."""


def calls_in(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Anonymous, tuple[str, ...]]]:
    """Yield each call of a function that is not Spark's own: the node, the call, the name's parts.

    The node is the call itself, or the name with its schema. A function in a schema is never
    Spark's own, whatever its name.
    """
    for call in list(tree.find_all(exp.Func)):
        qualified = call.parent
        if isinstance(qualified, exp.Dot) and call.arg_key == "expression":
            schema = list(qualified.flatten())[:-1]
            names = all(isinstance(part, exp.Identifier) for part in schema)
            if names and isinstance(call, exp.Anonymous):
                yield qualified, call, (*(part.name for part in schema), call.name)
        elif isinstance(call, exp.Anonymous) and call.name.lower() not in SPARKS_OWN:
            yield call, call, (call.name,)


def names_called(tree: exp.Expr) -> tuple[tuple[str, ...], ...]:
    """Return the names of the functions that a tree calls and that are not Spark's own."""
    return tuple(dict.fromkeys(parts for _, _, parts in calls_in(tree)))


def body_of(function: Function) -> exp.Expr:
    """Return the tree of a function's body. Raises NotMaintained if it can't be expanded."""
    if function.unsupported == RANDOM:
        raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, f"{function.name}()")
    if function.unsupported:
        raise not_supported(f"{function.name}(), {function.unsupported}")
    try:
        return exp.condition(function.body, dialect=IvmSpark)
    except SqlglotError as error:
        raise NotMaintained(
            ReasonCode.QUERY_NOT_UNDERSTOOD, f"the body of {function.name}()"
        ) from error


def parameters_of(text: str) -> tuple[tuple[str, str, str], ...] | None:
    """Return name, type and default of each parameter, None if the text can't be read.

    The text is a list of columns, as in CREATE TABLE.
    """
    try:
        created = sqlglot.parse_one(f"create table t ({text})", dialect=IvmSpark)
    except SqlglotError:
        return None
    found = []
    for column in created.this.expressions:
        if not isinstance(column, exp.ColumnDef) or column.kind is None:
            return None
        defaults = [
            kind.this.sql(IvmSpark)
            for constraint in column.args.get("constraints") or ()
            if isinstance(kind := constraint.args.get("kind"), exp.DefaultColumnConstraint)
        ]
        found.append((column.name, column.kind.sql(IvmSpark), next(iter(defaults), "")))
    return tuple(found)


def expand(query: exp.Expr, catalog: Catalog, namespace: tuple[str, ...], depth: int = 0) -> None:
    """Replace the calls of SQL functions in a query by their bodies, in place.

    A call of a function that the user says to be deterministic is marked. Other calls stay as they
    are. `namespace` is where the names of functions are looked up; see `function_key`.
    """
    # The inner calls first: an argument is copied to each place where the body names it.
    for node, call, parts in reversed(list(calls_in(query))):
        function = catalog.functions.get(function_key(parts, namespace))
        if function is not None and (function.body or function.unsupported):
            if depth >= MAX_DEPTH:
                raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "functions nested too deep")
            node.replace(_expanded(call, function, catalog, depth))
        elif _is_trusted(parts, catalog.trusted):
            trust(call, temporary=function is not None and "." not in function.name)


def _is_trusted(parts: tuple[str, ...], trusted: frozenset[str]) -> bool:
    """Return whether a function is listed, by its bare name or by its name with the schema."""
    names = {".".join(parts[place:]).lower() for place in range(len(parts))}
    return not names.isdisjoint(trusted)


def _expanded(call: exp.Anonymous, function: Function, catalog: Catalog, depth: int) -> exp.Expr:
    if call.find_ancestor(exp.Lambda) is not None:
        raise not_supported(f"{function.name}() in a lambda function")
    body = prepared(body_of(function))
    if body.find(exp.Query) is not None:
        raise not_supported(f"{function.name}(), whose body is a query")
    select = exp.select(body)
    expand(select, catalog, function.namespace, depth + 1)
    values = _arguments(call, function)
    for column in list(select.find_all(exp.Column)):
        column.replace(_value(column, values, function))
    (result,) = select.expressions
    return exp.cast(exp.paren(result, copy=False), function.returns, dialect=IvmSpark)


def prepared(body: exp.Expr) -> exp.Expr:
    """Return an expression with what sqlglot reads in another way than Spark made explicit."""
    select = exp.select(body)
    prepare(select)
    expression: exp.Expr = select.expressions[0].unalias()
    return expression


def _arguments(call: exp.Anonymous, function: Function) -> dict[str, exp.Expr]:
    """Return the value of each parameter, cast to the parameter's type, by lower-case name."""
    named = {a.name.lower(): a.expression for a in call.expressions if isinstance(a, exp.Kwarg)}
    given = [a for a in call.expressions if not isinstance(a, exp.Kwarg)]
    if any(isinstance(value, (exp.Query, exp.Star)) for value in (*given, *named.values())):
        raise not_supported(f"{function.name}() with a query as an argument")
    parameters = [name.lower() for name, _, _ in function.parameters]
    wrong = NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"the arguments of {function.name}()")
    if len(given) > len(parameters) or not named.keys() <= set(parameters[len(given) :]):
        raise wrong
    values: dict[str, exp.Expr] = {}
    for place, (_, kind, default) in enumerate(function.parameters):
        name = parameters[place]
        if place < len(given):
            value = given[place].copy()
        elif name in named:
            value = named[name].copy()
        elif default:
            value = exp.condition(default, dialect=IvmSpark)
        else:
            raise wrong
        values[name] = exp.cast(value, kind, dialect=IvmSpark)
    return values


def _value(column: exp.Column, values: dict[str, exp.Expr], function: Function) -> exp.Expr:
    """Return what a name in a body stands for: a parameter, or a field of one."""
    parts = [part.name.lower() for part in column.parts]
    bare = function.name.lower().split(".")[-1].strip("`")
    if len(parts) > 1 and parts[0] == bare and parts[0] not in values:
        parts = parts[1:]
    value = values.get(parts[0])
    if value is None or (len(parts) > 1 and bare in values):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"the body of {function.name}()")
    found: exp.Expr = value.copy()
    for field in column.parts[len(column.parts) - len(parts) + 1 :]:
        found = exp.Dot(this=exp.paren(found, copy=False), expression=field.copy())
    return found
