"""Turns GROUP BY and the aggregates of a query block into one Aggregate operator."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import WRAPPERS, aggregates_in, function_name
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, GroupingSets, Item, Node
from dbt.adapters.ivm_spark.sql.grouping_sets import Set
from dbt.adapters.ivm_spark.sql.names import Names


class Grouping:
    """Collects the keys and the different aggregate calls of one block.

    All expressions are already over the tree's columns.

    given: columns that come into scope only above the group.
    """

    def __init__(
        self,
        names: Names,
        keys: list[tuple[exp.Expr, str]],
        sets: list[Set] | None = None,
        given: Collection[str] = (),
    ) -> None:
        self._names = names
        self._sets = sets
        self._given = given
        self._keys: list[Item] = []
        for expression, wanted in keys if sets is not None else _grouping(keys):
            if self._known(self._keys, expression) is None:
                self._keys.append(Item(names.unique(wanted), expression))
        self._aggregates: list[Item] = []

    def over(self, expression: exp.Expr, wanted: str = "") -> exp.Expr:
        """Return the expression over the group's columns, and collect its aggregate calls.

        Raises NotMaintained (QUERY_NOT_UNDERSTOOD) for a column that is neither grouped by nor
        inside an aggregate.
        """
        calls = {id(call) for call in aggregates_in(expression)}
        name = wanted if id(expression) in calls else ""
        grouped = self._rewrite(expression, calls, name)
        allowed = {item.name for item in (*self._keys, *self._aggregates)}.union(self._given)
        for found in grouped.find_all(exp.Column):
            inside_lambda = found.find_ancestor(exp.Lambda) is not None
            if found.name not in allowed and not inside_lambda:
                raise NotMaintained(
                    ReasonCode.QUERY_NOT_UNDERSTOOD, f"{found.name} is not grouped by"
                )
        return grouped

    def key(self, name: str) -> str | None:
        """Return the name of the key that a column of the input is, None if it is not a key."""
        return self._known(self._keys, column(name))

    def node(self, input_: Node) -> Aggregate | GroupingSets:
        """Return the operator with all collected keys and aggregates.

        Raises NotMaintained (QUERY_NOT_UNDERSTOOD) for grouping() over one set of keys.
        """
        keys, aggregates = tuple(self._keys), tuple(self._aggregates)
        if not keys and not aggregates:
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "HAVING without an aggregate")
        if self._sets is not None:
            names = {key.expression: key.name for key in keys}
            sets = tuple(tuple(dict.fromkeys(names[e] for e in one)) for one in self._sets)
            return GroupingSets(input_, keys, sets, aggregates)
        if any(function_name(i.expression) in ("grouping", "grouping_id") for i in aggregates):
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "grouping() of one set of keys")
        return Aggregate(input_, keys, aggregates)

    def _rewrite(self, node: exp.Expr, calls: set[int], wanted: str) -> exp.Expr:
        if id(node) in calls:
            return column(self._aggregate(node, wanted))
        key = self._known(self._keys, node)
        if key is not None:
            return column(key)
        clone = node.copy() if not list(node.iter_expressions()) else _shallow(node)
        for name, value in list(node.args.items()):
            if isinstance(value, exp.Expr):
                clone.set(name, self._rewrite(value, calls, ""))
            elif isinstance(value, list):
                clone.set(
                    name,
                    [self._rewrite(v, calls, "") if isinstance(v, exp.Expr) else v for v in value],
                )
        return clone

    def _aggregate(self, call: exp.Expr, wanted: str) -> str:
        known = self._known(self._aggregates, call)
        if known is not None:
            return known
        for argument in call.iter_expressions():
            if aggregates_in(argument) and not isinstance(call, WRAPPERS):
                raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "an aggregate in another")
        name = self._names.unique(wanted or function_name(call) or "aggregate")
        self._aggregates.append(Item(name, call.copy()))
        return name

    @staticmethod
    def _known(items: list[Item], expression: exp.Expr) -> str | None:
        for item in items:
            if item.expression == expression:
                return item.name
        return None


def _grouping(keys: list[tuple[exp.Expr, str]]) -> list[tuple[exp.Expr, str]]:
    """Return the keys that are not constants, or the first key if all are constants.

    A constant groups nothing. Source: `RemoveLiteralFromGroupExpressions` of Spark.
    """
    return [(e, name) for e, name in keys if e.find(exp.Column) is not None] or keys[:1]


def _shallow(node: exp.Expr) -> exp.Expr:
    clone = type(node)(**{k: v for k, v in node.args.items() if not _holds_nodes(v)})
    clone.type = node.type
    return clone


def _holds_nodes(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(v, exp.Expr) for v in value)
    return isinstance(value, exp.Expr)
