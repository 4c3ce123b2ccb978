"""Turns every generator into a LATERAL VIEW with a name for each column, then into an operator.

A generator in a SELECT list gives each row with each row that it generates, as LATERAL VIEW does.
WHERE applies before it and after LATERAL VIEW; WHERE can't name a generated column, so the rows are
the same. Over aggregates, the groups are a subquery below the generator.

Source: Spark's documentation, "LATERAL VIEW clause", and its rule `ExtractGenerator`.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.expressions import aggregates_in, function_name
from dbt.adapters.ivm_spark.algebra.functions import GENERATORS
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, not_supported
from dbt.adapters.ivm_spark.algebra.tree import Generate, Node
from dbt.adapters.ivm_spark.sql.block import Built
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.generator_columns import generated_columns
from dbt.adapters.ivm_spark.sql.names import Names

_PREFIX = "__ivm_generated"


def lift_generators(query: exp.Query, tables: Mapping[str, Relation]) -> exp.Query:
    """Return the query, not yet qualified, with a named LATERAL VIEW for each generator.

    tables: the relation behind each table of the query. Raises NotMaintained for a generator whose
    columns have no names in the query and depend on a type that is not known.
    """
    query = query.copy()
    for select in reversed(list(query.find_all(exp.Select))):
        joined = [join.this for join in select.args.get("joins") or ()]
        for lateral in (*joined, *(select.args.get("laterals") or ())):
            if isinstance(lateral, exp.Lateral):
                _name_columns(lateral, select, tables)
    for number, select in enumerate(list(query.find_all(exp.Select))):
        found = [item for item in select.expressions if _is_generator(item)]
        if len(found) != 1:
            continue
        labels = _labels(found[0], select, tables)
        if _is_grouped(select):
            select = _over_groups(select, found[0], f"{_PREFIX}_{number}")
            found = [item for item in select.expressions if _is_generator(item)]
        elif not _spell_stars(select):
            continue
        _lift(select, found[0], labels, f"{_PREFIX}_{number}")
    return query


def build_lateral(
    names: Names, lateral: exp.Expr, node: Node, environment: Environment
) -> Generate:
    """Return the Generate of one LATERAL VIEW clause, and bring its columns into scope."""
    call = lateral.this
    name = function_name(call)
    alias = lateral.args.get("alias")
    columns = [c.name for c in alias.args.get("columns") or ()] if alias is not None else []
    if name not in GENERATORS or not columns:
        raise not_supported("LATERAL")
    generator = environment.spread(call.copy())
    for key, value in list(generator.args.items()):
        if isinstance(value, exp.Expr):
            generator.set(key, environment.resolve(value))
        elif isinstance(value, list):
            generator.set(key, [environment.resolve(v) for v in value])
    outputs = tuple((label, names.unique(label)) for label in columns)
    result = Generate(
        node, generator, tuple(u for _, u in outputs), bool(lateral.args.get("outer"))
    )
    environment.add(
        (alias.name if alias is not None else "") or names.unique("lateral"), Built(result, outputs)
    )
    return result


def _name_columns(lateral: exp.Lateral, select: exp.Select, tables: Mapping[str, Relation]) -> None:
    alias = lateral.args.get("alias")
    if function_name(lateral.this) not in GENERATORS or (alias and alias.args.get("columns")):
        return
    names = generated_columns(lateral.this, select, tables)
    if names is None:
        raise _unnamed(lateral.this)
    alias = alias or exp.TableAlias()
    alias.set("columns", [exp.to_identifier(name, quoted=True) for name in names])
    lateral.set("alias", alias)


def _unnamed(call: exp.Expr) -> NotMaintained:
    name = function_name(call)
    return not_supported(f"{name}() over an unknown type without column names; name the columns")


def _is_generator(item: exp.Expr) -> bool:
    call = item.this if isinstance(item, (exp.Alias, exp.Aliases)) else item
    return function_name(call) in GENERATORS


def _labels(
    item: exp.Expr, select: exp.Select, tables: Mapping[str, Relation]
) -> list[exp.Identifier]:
    """Return the names of a generator's columns in a SELECT list."""
    if isinstance(item, exp.Aliases):
        return list(item.expressions)
    if isinstance(item, exp.Alias):
        return [item.args["alias"]]
    names = generated_columns(item, select, tables)
    if names is None:
        raise _unnamed(item)
    return [exp.to_identifier(name, quoted=True) for name in names]


def _is_grouped(select: exp.Select) -> bool:
    return bool(select.args.get("group")) or any(map(aggregates_in, select.expressions))


def _over_groups(select: exp.Select, item: exp.Expr, prefix: str) -> exp.Select:
    """Put the groups into a subquery, and return the SELECT over it with the generator.

    Raises NotMaintained for clauses that apply after the generator, and for stars.
    """
    if any(select.args.get(c) for c in ("having", "order", "limit", "distinct", "windows")):
        raise not_supported("a generator over aggregates, with HAVING, ORDER BY or DISTINCT")
    if any(other.is_star for other in select.expressions):
        raise not_supported("a generator over aggregates beside a star")
    inner = select.copy()
    call = item.this if isinstance(item, (exp.Alias, exp.Aliases)) else item
    items: list[exp.Expr] = []
    below: list[exp.Expr] = []
    for place, other in enumerate(select.expressions):
        if other is item:
            arguments = [
                _argument(argument, f"{prefix}_in_{n}", below)
                for n, argument in enumerate(call.expressions)
            ]
            call.set("expressions", arguments)
            items.append(item)
            continue
        name = other.alias_or_name or f"{prefix}_item_{place}"
        below.append(exp.alias_(other.unalias().copy(), name, quoted=True))
        items.append(exp.column(name, quoted=True))
    inner.set("expressions", below)
    rows = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(f"{prefix}_rows")))
    for clause in list(select.args):
        select.set(clause, None)
    select.set("expressions", items)
    select.set("from_", exp.From(this=rows))
    inner.set("with_", None)
    return select


def _argument(argument: exp.Expr, name: str, below: list[exp.Expr]) -> exp.Expr:
    """Return an argument of a generator as a column of the groups, unless it is a constant."""
    if argument.find(exp.Column, exp.Anonymous) is None:
        return argument.copy()
    below.append(exp.alias_(argument.copy(), name, quoted=True))
    return exp.column(name, quoted=True)


def _spell_stars(select: exp.Select) -> bool:
    """Qualify each bare star of a SELECT list, so that it has no generated columns.

    Return whether every star could be qualified.
    """
    stars = [item for item in select.expressions if isinstance(item, exp.Star)]
    if not stars:
        return True
    clause, joins = select.args.get("from_"), select.args.get("joins") or ()
    shared = any(j.args.get("using") or j.method.upper() == "NATURAL" for j in joins)
    hidden = any(j.kind.upper() in ("SEMI", "ANTI") for j in joins)
    if clause is None or shared or hidden or any(any(star.args.values()) for star in stars):
        return False
    sources = [clause.this, *(j.this for j in joins), *(select.args.get("laterals") or ())]
    for place, source in enumerate(sources):
        if not source.alias_or_name:
            alias = source.args.get("alias") or exp.TableAlias()
            alias.set("this", exp.to_identifier(f"{_PREFIX}_source_{place}"))
            source.set("alias", alias)
    every = [exp.Column(this=exp.Star(), table=_name(source)) for source in sources]
    items: list[exp.Expr] = []
    for item in select.expressions:
        items.extend([star.copy() for star in every] if isinstance(item, exp.Star) else [item])
    select.set("expressions", items)
    return True


def _name(source: exp.Expr) -> exp.Identifier:
    alias = source.args.get("alias")
    found = alias.this if alias is not None and alias.this else source.this
    return exp.Identifier(this=found.name, quoted=bool(found.args.get("quoted")))


def _lift(select: exp.Select, item: exp.Expr, labels: list[exp.Identifier], alias: str) -> None:
    call = item.this if isinstance(item, (exp.Alias, exp.Aliases)) else item
    columns = [exp.to_identifier(f"{alias}_{place}") for place, _ in enumerate(labels)]
    lateral = exp.Lateral(
        this=call,
        view=True,
        alias=exp.TableAlias(this=exp.to_identifier(alias), columns=columns),
    )
    items: list[exp.Expr] = []
    for other in select.expressions:
        if other is not item:
            items.append(other)
            continue
        for column, label in zip(columns, labels, strict=True):
            value = exp.Column(this=column.copy(), table=exp.to_identifier(alias))
            items.append(exp.Alias(this=value, alias=label.copy()))
    select.set("expressions", items)
    select.set("laterals", [*(select.args.get("laterals") or ()), lateral])
