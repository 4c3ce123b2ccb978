"""EXISTS and IN over a subquery, as conjuncts of WHERE, become semi and anti joins.

The subquery's conjuncts that use columns of the outer block become the join's predicates.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dbt.adapters.ivm_spark.view.block import BlockBuilder, Built, Ctes
from dbt.adapters.ivm_spark.view.conjuncts import conjuncts
from dbt.adapters.ivm_spark.view.environment import Environment
from dbt.adapters.ivm_spark.view.expressions import aggregates_in
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.view.tree import Item, Node, Project, SemiJoin, column

BuildFrom = Callable[[BlockBuilder, exp.Select, Ctes, Environment], Node]


class Subqueries:
    """The subqueries in the WHERE of one block."""

    def __init__(
        self, builder: BlockBuilder, ctes: Ctes, environment: Environment, build_from: BuildFrom
    ) -> None:
        self._builder = builder
        self._build_from = build_from
        self._ctes = ctes
        self._outer = environment

    def holds(self, predicate: exp.Expr) -> bool:
        """True for a predicate that contains a subquery."""
        return predicate.find(exp.Query, exp.Exists) is not None

    def applied(self, predicate: exp.Expr, node: Node) -> Node:
        """The rows of `node` for which an EXISTS or IN predicate is true.

        Raises NotMaintained for NOT IN, for a subquery under OR or in an expression, and for a
        correlated one that groups, sorts or limits.
        """
        bare = predicate.unnest()
        anti = isinstance(bare, exp.Not)
        if isinstance(bare, exp.Not):
            bare = bare.this.unnest()
        if isinstance(bare, exp.Exists):
            inner, on = self._correlated(bare.this)
            return SemiJoin(node, inner.node, tuple(on), anti)
        if isinstance(bare, exp.In) and bare.args.get("query") is not None and not anti:
            inner, on = self._correlated(bare.args["query"])
            given = self._outer.resolve(bare.this)
            (_, name), *more = inner.outputs
            if more:
                raise NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, "IN over several columns")
            return SemiJoin(node, inner.node, (exp.EQ(this=given, expression=column(name)), *on))
        what = "NOT IN over a subquery" if anti else "a subquery inside an expression"
        raise NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, what)

    def _correlated(self, query: exp.Expr) -> tuple[Built, list[exp.Expr]]:
        """The subquery without its correlated conjuncts, and those over both blocks' columns.

        The inner block then outputs every column of its FROM clause besides its own outputs, so
        that the predicates find them.
        """
        select = query.unnest()
        if not isinstance(select, exp.Select) or not self._is_correlated(select):
            return self._builder.query(query, self._ctes), []
        for clause in ("group", "having", "distinct", "limit", "offset", "laterals", "with_"):
            if select.args.get(clause):
                raise NotMaintained(
                    ReasonCode.OPERATOR_NOT_SUPPORTED, "a correlated subquery that groups or limits"
                )
        return self._built(select)

    def _built(self, select: exp.Select) -> tuple[Built, list[exp.Expr]]:
        own = {t.alias_or_name for t in (select.args["from_"].this, *_joined(select))}
        inner, across = _split_where(select, own)
        trimmed = select.copy()
        trimmed.set("where", exp.Where(this=exp.and_(*inner, wrap=True)) if inner else None)
        environment = Environment(self._outer)
        node = self._build_from(self._builder, trimmed, self._ctes, environment)
        outputs = []
        for item in select.expressions:
            if aggregates_in(item):
                raise NotMaintained(
                    ReasonCode.OPERATOR_NOT_SUPPORTED, "a correlated subquery that groups or limits"
                )
            name = self._builder.names.unique(item.alias_or_name or "c")
            outputs.append(Item(name, environment.resolve(item.unalias())))
        passed = tuple(Item(c, column(c)) for c in node.columns)
        predicates = [environment.resolve(p) for p in across]
        block = Built(
            Project(node, (*outputs, *passed)), tuple((item.name, item.name) for item in outputs)
        )
        return block, predicates

    def _is_correlated(self, select: exp.Select) -> bool:
        names = {c.table for c in select.find_all(exp.Column)}
        own = {t.alias_or_name for t in select.find_all(exp.Table, exp.Subquery, exp.Lateral)}
        return bool(names - own - {""})


def _joined(select: exp.Select) -> list[exp.Expr]:
    return [join.this for join in select.args.get("joins") or ()]


def _split_where(select: exp.Select, own: set[str]) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """The conjuncts of WHERE that use only relations of the block, and the others."""
    where = select.args.get("where")
    parts = conjuncts(where.this) if where else []
    inner = [p for p in parts if {c.table for c in p.find_all(exp.Column)} <= own]
    return inner, [p for p in parts if p not in inner]
