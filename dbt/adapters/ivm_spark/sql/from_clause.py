"""Turns FROM, JOIN, LATERAL VIEW and WHERE into joins and filters.

Consecutive inner joins become one n-ary Join, whose predicates include the conjuncts of WHERE. An
outer, semi, anti or lateral join takes everything before it as its left input. So does a subquery
in the ON of an inner join; it means the same as in WHERE.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Filter,
    Join,
    Lateral,
    Node,
    OuterJoin,
    SemiJoin,
    Values,
)
from dbt.adapters.ivm_spark.sql.block import BlockBuilder, Ctes, rename
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.lateral import build_lateral
from dbt.adapters.ivm_spark.sql.pivot import build_pivot
from dbt.adapters.ivm_spark.sql.subquery import Subqueries, holds_subquery
from dbt.adapters.ivm_spark.sql.values import build_values

_INNER = ("", "INNER", "CROSS")
_SIDES = ("LEFT", "RIGHT", "FULL")


def build_from(
    builder: BlockBuilder, select: exp.Select, ctes: Ctes, environment: Environment
) -> Node:
    """Return the rows that the rest of a SELECT works on, and bring their columns into scope.

    Raises NotMaintained for a join or a table expression without an operator.
    """
    clause = select.args.get("from_")
    if clause is None:
        if select.args.get("where") or select.args.get("laterals"):
            raise not_supported("WHERE without FROM")
        return Values((), ((),))
    joined = _Joined(builder, ctes, environment, relation(builder, clause.this, ctes, environment))
    for join in _joins(select):
        joined.add(join)
    laterals = select.args.get("laterals") or ()
    node = joined.node()
    for lateral in laterals:
        node = build_lateral(builder.names, lateral, node, environment)
    where = select.args.get("where")
    filters = conjuncts(where.this) if where else []
    resolved = [environment.resolve(part) for part in filters if not holds_subquery(part)]
    across = [part for part in resolved if not environment.covers(part)]
    plain = [part for part in resolved if environment.covers(part)]
    if isinstance(node, Join) and not laterals and len(joined.inputs) > 1:
        node = Join(node.inputs, (*node.predicates, *plain))
    else:
        for part in plain:
            node = Filter(node, part)
    node = joined.filtered(node, [part for part in filters if holds_subquery(part)])
    for part in across:
        node = Filter(node, part)
    return node


class _Joined:
    """The relations of a FROM clause, left to right.

    Attributes:
        inputs: the relations that inner joins have added since the last join of another kind.
    """

    def __init__(
        self, builder: BlockBuilder, ctes: Ctes, environment: Environment, first: Node
    ) -> None:
        self._builder = builder
        self._ctes = ctes
        self._environment = environment
        self.inputs = [first]
        self._predicates: list[exp.Expr] = []

    def node(self) -> Node:
        """Return everything so far as one relation."""
        if len(self.inputs) == 1:
            return self.inputs[0]
        return Join(tuple(self.inputs), tuple(self._predicates))

    def filtered(self, node: Node, parts: list[exp.Expr]) -> Node:
        """Return the rows for which predicates that contain subqueries are true."""
        for part in parts:
            subqueries = Subqueries(self._builder, self._ctes, self._environment)
            predicate = self._environment.resolve(subqueries.taken(part, condition=True))
            node = Filter(subqueries.over(node, self._environment), predicate)
        return node

    def add(self, join: exp.Join) -> None:
        """Add the next join."""
        kind = _kind(join)
        if isinstance(join.this, exp.Lateral):
            self._add_lateral(join, kind)
            return
        left = self.node()
        right = relation(self._builder, join.this, self._ctes, self._environment)
        own, nested = self._on(join)
        if kind in _INNER:
            self.inputs.append(right)
            self._predicates.extend(own)
            if nested:
                self._begin(self.filtered(self.node(), nested))
            return
        if nested:
            raise not_supported(f"a subquery in the ON of a {kind} JOIN")
        if kind in _SIDES:
            self._begin(OuterJoin(left, right, kind, tuple(own)))
            return
        self._begin(SemiJoin(left, right, tuple(own), kind == "LEFT ANTI"))
        self._environment.remove(_alias(join.this))

    def _add_lateral(self, join: exp.Join, kind: str) -> None:
        """Add a subquery that sees the columns of the relations before it."""
        lateral = join.this
        if kind not in (*_INNER, "LEFT"):
            raise not_supported(f"{kind} JOIN LATERAL")
        if not isinstance(lateral.this, exp.Subquery):
            raise not_supported("a table function after LATERAL")
        left = self.node()
        query = self._builder.query(lateral.this, self._ctes, self._environment)
        block = rename(query, lateral.args.get("alias"))
        self._environment.add(lateral.alias_or_name, block)
        own, nested = self._on(join)
        if nested:
            raise not_supported("a subquery in the ON of a JOIN LATERAL")
        name = self._builder.names.unique("lateral")
        self._begin(Lateral(left, block.node, name, tuple(own), left=kind == "LEFT"))

    def _begin(self, node: Node) -> None:
        self.inputs, self._predicates = [node], []

    def _on(self, join: exp.Join) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """Return the resolved conjuncts of ON, and those with subqueries, unchanged."""
        on = join.args.get("on")
        parts = conjuncts(on) if on is not None else []
        plain = [self._environment.resolve(part) for part in parts if not holds_subquery(part)]
        return plain, [part for part in parts if holds_subquery(part)]


def relation(builder: BlockBuilder, source: exp.Expr, ctes: Ctes, environment: Environment) -> Node:
    """Return one table, CTE or subquery of a FROM clause, and bring its columns into scope."""
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
    """Return the alias of a relation's columns: its own, or that of its PIVOT."""
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
