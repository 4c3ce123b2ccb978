"""Turns the subqueries in a block's expressions into operators below it, each with one column.

A scalar subquery becomes a ScalarSubquery; EXISTS and IN become a Mark. The column replaces the
subquery in the expression. A column that a correlated subquery uses of its outer block stays a
free column of the subquery's tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import is_aggregate
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import Mark, Node, ScalarSubquery
from dbt.adapters.ivm_spark.sql.block import BlockBuilder, Ctes
from dbt.adapters.ivm_spark.sql.environment import Environment


def holds_subquery(expression: exp.Expr) -> bool:
    """Return whether an expression contains a subquery."""
    if isinstance(expression, exp.Column):
        return False
    return expression.find(exp.Query, exp.Exists) is not None


@dataclass(frozen=True)
class _Taken:
    name: str
    query: exp.Expr
    predicate: bool
    operands: tuple[exp.Expr, ...] = ()
    negated: bool = False


class Subqueries:
    """The subqueries of some expressions of one block.

    environment: what the expressions see. below: the subqueries inside the call of an aggregate,
    which belong below the GROUP BY.
    """

    def __init__(
        self,
        builder: BlockBuilder,
        ctes: Ctes,
        environment: Environment,
        below: Subqueries | None = None,
    ) -> None:
        self._builder = builder
        self._ctes = ctes
        self._environment = environment
        self._below = below
        self._taken: list[_Taken] = []

    @property
    def names(self) -> set[str]:
        """Return the columns that replace the subqueries."""
        return {taken.name for taken in self._taken}

    def taken(self, expression: exp.Expr, condition: bool = False) -> exp.Expr:
        """Return the expression with a column for each subquery; `over` needs the subqueries later.

        condition: only rows for which the expression is true count, so NULL is like false. Raises
        NotMaintained for IN and NOT IN if NULL is not like false.
        """
        if not holds_subquery(expression):
            return expression
        if isinstance(expression, (exp.Subquery, exp.Select, exp.SetOperation)):
            return self._place(_Taken(self._name("scalar"), expression, predicate=False))
        if isinstance(expression, exp.Exists):
            return self._place(_Taken(self._name("exists"), expression.this, predicate=True))
        negated = isinstance(expression, exp.Not)
        among = expression.this.unnest() if negated else expression
        if negated and condition and isinstance(among, (exp.Not, exp.And, exp.Or)):
            return self.taken(_pushed_down(among), condition)
        if isinstance(among, exp.In) and among.args.get("query") is not None:
            return self._in(among, negated, condition)
        if is_aggregate(expression) and self._below is not None:
            return self._below.taken(expression)
        clone = expression.copy()
        for place, value in expression.args.items():
            if isinstance(value, exp.Expr):
                clone.set(place, self.taken(value, _is_condition(expression, place, condition)))
            elif isinstance(value, list):
                clone.set(place, [self._part(v) for v in value])
        return clone

    def regroup(self, over: Callable[[exp.Expr], exp.Expr]) -> None:
        """Move the operands of IN above a GROUP BY."""
        self._taken = [
            replace(taken, operands=tuple(over(o) for o in taken.operands)) for taken in self._taken
        ]

    def over(self, node: Node, environment: Environment) -> Node:
        """Return the input with a column for each subquery.

        environment: what the subqueries see of the input.
        """
        for taken in self._taken:
            built = self._builder.query(taken.query, self._ctes, environment)
            if not taken.predicate:
                if len(built.node.columns) != 1:
                    raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "not one column")
                node = ScalarSubquery(node, built.node, taken.name)
                continue
            if taken.operands and len(taken.operands) != len(built.node.columns):
                raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "IN of different widths")
            node = Mark(node, built.node, taken.name, taken.operands, taken.negated)
        return node

    def _in(self, among: exp.In, negated: bool, condition: bool) -> exp.Expr:
        if not condition:
            what = "NOT IN" if negated else "IN"
            raise not_supported(f"{what} over a subquery as a value")
        given = among.this.unnest()
        parts = given.expressions if isinstance(given, exp.Tuple) else [given]
        operands = tuple(self._environment.resolve(self.taken(part)) for part in parts)
        name = self._name("not_in" if negated else "in")
        return self._place(_Taken(name, among.args["query"], True, operands, negated))

    def _part(self, value: object) -> object:
        if not isinstance(value, exp.Expr):
            return value
        return self.taken(value)

    def _name(self, wanted: str) -> str:
        return self._builder.names.unique(wanted)

    def _place(self, taken: _Taken) -> exp.Expr:
        self._taken.append(taken)
        self._environment.place(taken.name)
        return column(taken.name)


def _pushed_down(inner: exp.Not | exp.And | exp.Or) -> exp.Expr:
    """Return NOT of an expression with NOT before its parts (De Morgan), also for NULLs."""
    if isinstance(inner, exp.Not):
        within: exp.Expr = inner.this
        return within.copy()
    sides = [exp.not_(exp.paren(side), copy=False) for side in (inner.left, inner.right)]
    kind = exp.And if isinstance(inner, exp.Or) else exp.Or
    return exp.paren(kind(this=sides[0], expression=sides[1]), copy=False)


def _is_condition(around: exp.Expr, place: str, condition: bool) -> bool:
    """Return whether a part of an expression counts only if it is true."""
    if isinstance(around, (exp.And, exp.Or, exp.Paren)):
        return condition
    if isinstance(around, exp.If):
        return place == "this" and _searched(around)
    return False


def _searched(branch: exp.If) -> bool:
    """Return whether a branch's condition is a predicate: a WHEN of a CASE without an operand."""
    case = branch.parent
    return not isinstance(case, exp.Case) or case.this is None
