"""Rewrites EXISTS, IN and NOT IN as semi and anti joins: the rows with the mark, and the others.

A correlated aggregate without GROUP BY has exactly one row for each row of the outer block, so its
mark is computed beside that row.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, free_columns, passed
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Item,
    Join,
    Limit,
    Mark,
    Node,
    Project,
    SemiJoin,
    Sort,
    UnionAll,
)
from dbt.adapters.ivm_spark.sql.rewrite.decorrelate import decorrelated
from dbt.adapters.ivm_spark.sql.rewrite.for_each_row import Peeled, beside_aggregate, peeled
from dbt.adapters.ivm_spark.sql.rewrite.rows import keeps_one


def rewrite_mark(node: Mark) -> Node:
    """Return the rows for which the predicate is true, with the mark, and the others without it.

    NOT IN is not true for a row with a partner that is equal or may be equal: one for which the
    comparison is NULL. Raises NotMaintained, see `decorrelated`.
    """
    above = peeled(node.query)
    if isinstance(above.base, Aggregate) and above.base.whole and free_columns(node.query):
        return _of_one_row(node, above, above.base)
    query = _stripped(node.query, exists=not node.operands)
    if not node.operands and not free_columns(query):
        return _flagged(node, query)
    branches: list[Node] = []
    rest = node.input
    for branch in _branches(node, query):
        below = decorrelated(branch, f"__ivm_{node.name}_{len(branches)}_")
        matches = tuple(
            _match(operand, column(c), node.negated)
            for operand, c in zip(node.operands, branch.columns, strict=False)
        )
        predicates = (*matches, *below.predicates)
        partners = SemiJoin(rest, below.node, predicates)
        rest = SemiJoin(rest, below.node, predicates, anti=True)
        branches.append(_marked(node, partners, not node.negated))
    return UnionAll((*branches, _marked(node, rest, node.negated)))


def _of_one_row(node: Mark, query: Peeled, base: Aggregate) -> Node:
    """Return each row with the mark of an aggregate without GROUP BY, which has one row.

    EXISTS is true if the conditions on that row are, IN if a value is equal besides. NOT IN is true
    without that row, too.
    """
    if not query.conditions and not node.operands:
        items = passed(node.input.columns)
        return Project(node.input, (*items, Item(node.name, exp.true())))
    joined, values = beside_aggregate(node.input, base, f"__ivm_{node.name}_")
    row = query.over(values)
    same = [
        exp.EQ(this=exp.paren(operand), expression=exp.paren(row.values[name]))
        for operand, name in zip(node.operands, node.query.columns, strict=False)
    ]
    if not node.negated:
        mark = _case(exp.and_(*row.conditions, *same, wrap=True), exp.true(), exp.false())
    else:
        mark = _case(exp.not_(exp.and_(*same, wrap=True)), exp.true(), exp.false())
        if row.conditions:
            mark = _case(exp.and_(*row.conditions, wrap=True), mark, exp.true())
    return Project(joined, (*passed(node.input.columns), Item(node.name, mark)))


def _case(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def _branches(node: Mark, query: Node) -> tuple[Node, ...]:
    """Return the branches of a correlated UNION; each has predicates of its own."""
    if not isinstance(query, UnionAll) or not free_columns(query):
        return (query,)
    exists = not node.operands
    stripped = [_stripped(branch, exists) for branch in query.inputs]
    return tuple(part for branch in stripped for part in _branches(node, branch))


def _stripped(query: Node, exists: bool) -> Node:
    """Return the subquery without operators that can't affect the mark.

    The mark depends only on whether the subquery has a row, or a row with a given value.
    """
    while isinstance(query, (Sort, Distinct, Project, Limit)):
        if isinstance(query, (Project, Limit)) and not exists:
            break
        if isinstance(query, Limit) and not keeps_one(query):
            break
        query = query.input
    return query


def _match(operand: exp.Expr, inner: exp.Expr, negated: bool) -> exp.Expr:
    """Return the predicate that Spark's RewritePredicateSubquery writes.

    With it, Spark plans a NOT IN over one column as a null-aware hash join.
    """
    same = exp.EQ(this=operand.copy(), expression=inner)
    if not negated:
        return same
    unknown = exp.Is(this=exp.paren(same.copy()), expression=exp.null())
    return exp.paren(exp.Or(this=exp.paren(same), expression=unknown))


def _flagged(node: Mark, query: Node) -> Node:
    """Return an EXISTS that is the same for all rows as a product with one row.

    That row changes only if the subquery becomes empty or stops being empty.
    """
    one = Item(f"__ivm_{node.name}_one", exp.Literal.number(1))
    some = Item(f"__ivm_{node.name}_some", exp.Max(this=column(one.name)))
    flag = Aggregate(Project(query, (one,)), (), (some,))
    present = exp.Not(this=exp.Is(this=column(some.name), expression=exp.null()))
    items = (*passed(node.input.columns), Item(node.name, present))
    return Project(Join((flag, node.input)), items)


def _marked(node: Mark, rows: Node, mark: bool) -> Node:
    items = passed(node.input.columns)
    return Project(rows, (*items, Item(node.name, exp.Boolean(this=mark))))
