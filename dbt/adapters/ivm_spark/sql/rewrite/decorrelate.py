"""Decorrelation: a subquery becomes a relation and predicates that tie it to the outer block.

The predicates that use free columns are pulled up. A projection then passes their columns on. They
pass GROUP BY, DISTINCT, windows and LIMIT only if they are equalities, whose inner sides then
become keys of the groups or partitions.

Source: Seshadri, Pirahesh, Leung, "Complex query decorrelation" (ICDE 1996). A LIMIT counts the
rows of each value, as in Spark's `DecorrelateInnerQuery`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, free_columns, passed, used_columns
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Limit,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    Sort,
    Window,
)
from dbt.adapters.ivm_spark.sql.rewrite.window import one_answer


@dataclass(frozen=True)
class Decorrelated:
    """A decorrelated subquery.

    Attributes:
        node: a relation without free columns.
        predicates: predicates over the relation and the outer block.
    """

    node: Node
    predicates: tuple[exp.Expr, ...]


def decorrelated(query: Node, prefix: str) -> Decorrelated:
    """Return the relation of a subquery and the predicates that tie it to the outer block.

    prefix: the start of the names of new columns, unique in the tree. Raises NotMaintained
    (OPERATOR_NOT_SUPPORTED) for free columns anywhere but in WHERE, and for predicates other than
    equalities below GROUP BY, DISTINCT, a window or LIMIT.
    """
    free = frozenset(free_columns(query))
    if not free:
        return Decorrelated(query, ())
    pulled = _Puller(free, prefix).pulled(query)
    if free_columns(pulled.node):
        raise not_supported("a subquery that uses outer columns outside WHERE")
    return pulled


def inner_side(predicate: exp.Expr, inner: set[str]) -> tuple[exp.Expr, exp.Expr] | None:
    """Return the sides of an equality between a subquery and its outer block, the inner side first.

    Return None for another predicate.
    """
    bare = predicate.unnest()
    if not isinstance(bare, (exp.EQ, exp.NullSafeEQ)):
        return None
    for one, other in ((bare.left, bare.right), (bare.right, bare.left)):
        ones, others = used_columns(one), used_columns(other)
        if ones and ones <= inner and not others & inner:
            return one, other
    return None


class _Puller:
    def __init__(self, free: frozenset[str], prefix: str) -> None:
        self._free = free
        self._prefix = prefix
        self._count = 0

    def pulled(self, node: Node) -> Decorrelated:
        if not free_columns(node) & self._free:
            return Decorrelated(node, ())
        if isinstance(node, Filter):
            return self._filter(node)
        if isinstance(node, Join):
            return self._join(node)
        if isinstance(node, Project):
            below = self.pulled(node.input)
            return self._passed(Project(below.node, node.items), below.predicates)
        if isinstance(node, Aggregate):
            return self._aggregate(node)
        if isinstance(node, Distinct):
            return self._distinct(node)
        if isinstance(node, Sort):
            return self.pulled(node.input)
        if isinstance(node, Window):
            return self._window(node)
        if isinstance(node, Limit):
            return self._limit(node)
        if isinstance(node, Generate):
            below = self.pulled(node.input)
            return Decorrelated(replace(node, input=below.node), below.predicates)
        if isinstance(node, SemiJoin):
            below = self.pulled(node.input)
            return Decorrelated(replace(node, input=below.node), below.predicates)
        if isinstance(node, OuterJoin) and node.side == "LEFT":
            below = self.pulled(node.left)
            return Decorrelated(replace(node, left=below.node), below.predicates)
        raise not_supported(f"a correlated subquery with {type(node).__name__}")

    def _filter(self, node: Filter) -> Decorrelated:
        below = self.pulled(node.input)
        own, across = self._split(conjuncts(node.predicate))
        result = below.node
        for part in own:
            result = Filter(result, part)
        return Decorrelated(result, (*below.predicates, *across))

    def _join(self, node: Join) -> Decorrelated:
        below = [self.pulled(child) for child in node.inputs]
        own, across = self._split([c for p in node.predicates for c in conjuncts(p)])
        pulled = [p for each in below for p in each.predicates]
        return Decorrelated(
            Join(tuple(each.node for each in below), tuple(own)), (*pulled, *across)
        )

    def _aggregate(self, node: Aggregate) -> Decorrelated:
        """Group also by the inner sides of the equalities.

        A GROUP BY without keys has a row even over no rows, and these groups have none. See the
        rule of scalar subqueries.
        """
        if node.whole:
            raise not_supported("a correlated aggregate without GROUP BY below another operator")
        below = self._keyed(self.pulled(node.input))
        keys = list(node.keys)
        predicates = []
        for predicate in below.predicates:
            inner, outer = self._sides(predicate, below.node)
            known = next((k for k in keys if k.expression == inner), None)
            if known is None:
                known = Item(inner.name, inner)
                keys.append(known)
            predicates.append(type(predicate)(this=column(known.name), expression=outer))
        return Decorrelated(Aggregate(below.node, tuple(keys), node.aggregates), tuple(predicates))

    def _distinct(self, node: Distinct) -> Decorrelated:
        below = self._keyed(self.pulled(node.input))
        inner = used_columns(*below.predicates) - self._free - set(node.columns)
        items = passed((*node.columns, *sorted(inner)))
        return Decorrelated(Distinct(Project(below.node, items)), below.predicates)

    def _window(self, node: Window) -> Decorrelated:
        """Partition also by the inner sides, so that no partition has rows of different values."""
        below = self._keyed(self.pulled(node.input))
        keys = self._inner(below)
        items = tuple(Item(i.name, _partitioned(i.expression, keys)) for i in node.items)
        return Decorrelated(Window(below.node, items), below.predicates)

    def _limit(self, node: Limit) -> Decorrelated:
        """Keep the first rows of each value of the equalities, those with a small enough number."""
        if not isinstance(node.input, Sort):
            raise not_supported("a correlated LIMIT without ORDER BY")
        below = self._keyed(self.pulled(node.input.input))
        place = f"{self._prefix}place_{self._count}"
        self._count += 1
        order = exp.Order(expressions=[o.copy() for o in node.input.orderings])
        number = exp.Window(
            this=exp.Anonymous(this="row_number"),
            partition_by=[column(c) for c in self._inner(below)],
            order=order,
            over="OVER",
        )
        rows = one_answer(Window(below.node, (Item(place, number),)))
        return Decorrelated(Filter(rows, _within(place, node)), below.predicates)

    def _inner(self, below: Decorrelated) -> list[str]:
        """Return the columns that the predicates of `_keyed` tie to the outer block."""
        sides = (self._sides(p, below.node)[0].name for p in below.predicates)
        return list(dict.fromkeys(sides))

    def _keyed(self, below: Decorrelated) -> Decorrelated:
        """Return the same relation with bare columns as the inner sides of its predicates.

        All predicates are equalities.
        """
        items = list(passed(below.node.columns))
        predicates: list[exp.Expr] = []
        for predicate in below.predicates:
            inner, outer = self._sides(predicate, below.node)
            if not isinstance(inner, exp.Column):
                name = f"{self._prefix}{self._count}"
                self._count += 1
                items.append(Item(name, inner))
                inner = column(name)
            kind = type(predicate.unnest())
            predicates.append(kind(this=inner.copy(), expression=outer.copy()))
        node = below.node
        if len(items) > len(node.columns):
            node = Project(node, tuple(items))
        return Decorrelated(node, tuple(predicates))

    def _sides(self, predicate: exp.Expr, node: Node) -> tuple[exp.Expr, exp.Expr]:
        sides = inner_side(predicate, set(node.columns))
        if sides is None:
            raise not_supported("a correlation other than equality below a GROUP BY or LIMIT")
        return sides

    def _passed(self, node: Project, predicates: tuple[exp.Expr, ...]) -> Decorrelated:
        """Return a projection that also passes on the columns of the predicates."""
        needed = sorted(used_columns(*predicates) - self._free - set(node.columns))
        items = (*node.items, *passed(needed))
        return Decorrelated(Project(node.input, items), predicates)

    def _split(self, parts: list[exp.Expr]) -> tuple[list[exp.Expr], list[exp.Expr]]:
        across = [p for p in parts if used_columns(p) & self._free]
        return [p for p in parts if not used_columns(p) & self._free], across


def _partitioned(window: exp.Expr, keys: list[str]) -> exp.Expr:
    window = window.copy()
    window.set("partition_by", [*window.args["partition_by"], *map(column, keys)])
    return window


def _within(place: str, limit: Limit) -> exp.Expr:
    """Return the condition on a row's number that LIMIT and OFFSET express."""
    first, most = limit.offset, limit.limit
    if not all(e is None or (isinstance(e, exp.Literal) and e.is_int) for e in (first, most)):
        raise not_supported("a correlated LIMIT that is not a number")
    skipped = int(first.name) if first is not None else 0
    conditions: list[exp.Expr] = []
    if skipped:
        conditions.append(exp.GT(this=column(place), expression=exp.Literal.number(skipped)))
    if most is not None:
        last = exp.Literal.number(skipped + int(most.name))
        conditions.append(exp.LTE(this=column(place), expression=last))
    return exp.and_(*conditions)
