"""FROM, JOIN, LATERAL VIEW and WHERE become joins and filters.

Inner joins in a row are one n-ary Join with the WHERE conjuncts among its predicates; an outer,
semi or anti join takes all that stands before it as its left input.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.view.block import BlockBuilder, Ctes, rename
from dbt.adapters.ivm_spark.view.conjuncts import conjuncts
from dbt.adapters.ivm_spark.view.environment import Environment
from dbt.adapters.ivm_spark.view.lateral import build_lateral
from dbt.adapters.ivm_spark.view.pivot import build_pivot
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.view.subquery import Subqueries, holds_subquery
from dbt.adapters.ivm_spark.view.tree import Filter, Join, Node, OuterJoin, SemiJoin, Values
from dbt.adapters.ivm_spark.view.values import build_values

_INNER = ("", "INNER", "CROSS")
_SIDES = ("LEFT", "RIGHT", "FULL")


def build_from(
    builder: BlockBuilder, select: exp.Select, ctes: Ctes, environment: Environment
) -> Node:
    """The rows that the rest of a SELECT works on; its columns come in sight.

    Raises NotMaintained for a join or a table form without an operator.
    """
    clause = select.args.get("from_")
    if clause is None:
        if select.args.get("where") or select.args.get("laterals"):
            raise not_supported("WHERE without FROM")
        return Values((), ((),))
    inputs = [relation(builder, clause.this, ctes, environment)]
    predicates: list[exp.Expr] = []
    for join in _joins(select):
        right = relation(builder, join.this, ctes, environment)
        on = join.args.get("on")
        own = [environment.resolve(part) for part in conjuncts(on)] if on is not None else []
        kind = _kind(join)
        if kind in _INNER:
            inputs.append(right)
            predicates.extend(own)
            continue
        left = _joined(inputs, predicates)
        if kind in _SIDES:
            inputs, predicates = [OuterJoin(left, right, kind, tuple(own))], []
            continue
        inputs, predicates = [SemiJoin(left, right, tuple(own), kind == "LEFT ANTI")], []
        environment.remove(_alias(join.this))
    where = select.args.get("where")
    filters = conjuncts(where.this) if where else []
    laterals = select.args.get("laterals") or ()
    node = _joined(inputs, predicates)
    for lateral in laterals:
        node = build_lateral(builder.names, lateral, node, environment)
    resolved = [environment.resolve(part) for part in filters if not holds_subquery(part)]
    across = [part for part in resolved if not environment.covers(part)]
    plain = [part for part in resolved if environment.covers(part)]
    if isinstance(node, Join) and not laterals and len(inputs) > 1:
        node = Join(node.inputs, (*node.predicates, *plain))
    else:
        for part in plain:
            node = Filter(node, part)
    for part in filters:
        if holds_subquery(part):
            subqueries = Subqueries(builder, ctes, environment)
            predicate = environment.resolve(subqueries.taken(part, condition=True))
            node = Filter(subqueries.over(node, environment), predicate)
    for part in across:
        node = Filter(node, part)
    return node


def relation(builder: BlockBuilder, source: exp.Expr, ctes: Ctes, environment: Environment) -> Node:
    """One table, CTE or subquery of a FROM clause; its columns come in sight."""
    if isinstance(source, exp.Table):
        block = ctes[source.name]() if source.name in ctes else builder.scan(source)
        block = rename(block, source.args.get("alias"))
    elif isinstance(source, exp.Subquery):
        if source.args.get("sample"):
            raise not_supported("TABLESAMPLE")
        block = builder.query(_without_pivot(source), ctes, environment.outer)
        block = rename(block, source.args.get("alias"))
    elif isinstance(source, exp.Values):
        block = build_values(builder.names, source)
    else:
        raise not_supported(type(source).__name__.upper())
    for pivot in source.args.get("pivots") or ():
        alias = source.alias_or_name
        block = build_pivot(builder.names, pivot, block, alias, builder.sources)
    environment.add(_alias(source), block)
    return block.node


def _without_pivot(source: exp.Subquery) -> exp.Subquery:
    if not source.args.get("pivots"):
        return source
    bare = source.copy()
    bare.set("pivots", None)
    return bare


def _alias(source: exp.Expr) -> str:
    """The name under which a relation's columns are in sight: its own, or that of its PIVOT."""
    pivots = source.args.get("pivots") or ()
    if len(pivots) > 1:
        raise not_supported("PIVOT of a PIVOT")
    return str(pivots[0].alias if pivots else source.alias_or_name)


def _joins(select: exp.Select) -> list[exp.Join]:
    joins: list[exp.Join] = []
    for join in select.args.get("joins") or ():
        nested = join.this.args.get("joins") or ()
        if nested and any(_kind(j) not in _INNER for j in (join, *nested)):
            raise not_supported("joins in parentheses")
        joins.extend((join, *nested))
    return joins


def _joined(inputs: list[Node], predicates: list[exp.Expr]) -> Node:
    return inputs[0] if len(inputs) == 1 else Join(tuple(inputs), tuple(predicates))


def _kind(join: exp.Join) -> str:
    words = f"{join.method} {join.side} {join.kind}".upper().replace("OUTER", "").split()
    kind = " ".join(words)
    if kind in ("SEMI", "ANTI"):
        kind = f"LEFT {kind}"
    if kind not in (*_INNER, *_SIDES, "LEFT SEMI", "LEFT ANTI"):
        raise not_supported(f"{kind} JOIN")
    if join.args.get("using"):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "a USING that was not expanded")
    return kind
