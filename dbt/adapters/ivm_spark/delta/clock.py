"""The delta of filters and projections whose constants of the clock have moved.

    SELECT * FROM orders WHERE d >= current_date() - 30

With p the predicate at the watermark's time and p' the predicate now, the delta is

    Δ = filter(Δorders, p) ⊎ filter(orders, p' AND NOT p) ⊎ -filter(orders, p AND NOT p')

The changed rows are those of the old view. Then the rows that enter and the rows that leave are
read from the source as it is now. Both conditions have literal bounds, so files are skipped.

A projection is the same, if the clock decides only comparisons in it (CASE WHEN d >= … THEN …):
rows for which a comparison changes are projected with the old values, weight -1, and with the new.

The clock may also run backwards; the rules hold for any two times.

Source: the delta of a selection whose predicate changes, as for a join with the one row of a
relation `clock`: Koch, "Incremental query evaluation in a ring of databases" (PODS 2010).
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import MovedConstant, after_move, before_move, moves
from dbt.adapters.ivm_spark.algebra.columns import column, expressions_of
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Filter,
    Item,
    Node,
    Project,
    UnionAll,
)
from dbt.adapters.ivm_spark.delta.bags import weighted

_COMPARES = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def unfollowed(root: Node) -> exp.Expr | None:
    """Return an expression in which the clock has moved and that no rule follows, None if none."""
    for node in walk(root):
        for expression in expressions_of(node):
            if not moves(expression) or isinstance(node, Filter):
                continue
            if not isinstance(node, Project) or _decided(expression) is None:
                return expression
    return None


def filter_by_clock(node: Filter, below: Node | None) -> Node:
    """Return the delta of a filter whose predicate has moved; `below` is the input's delta."""
    old, new = before_move(node.predicate), after_move(node.predicate)
    terms: list[Node] = [] if below is None else [Filter(below, old)]
    terms.append(Filter(weighted(node.input, 1), exp.and_(new, _not(old))))
    terms.append(Filter(weighted(node.input, -1), exp.and_(old, _not(new))))
    return UnionAll(tuple(terms), widens=False)


def project_by_clock(node: Project, below: Node | None) -> Node:
    """Return the delta of a projection in which comparisons with the clock have moved.

    `below` is the input's delta. Raises NotMaintained (CLOCK_MOVED) if the clock has moved
    elsewhere in an expression, see `unfollowed`.
    """
    weight = Item(WEIGHT, column(WEIGHT))
    old = tuple(Item(i.name, before_move(i.expression)) for i in node.items)
    new = tuple(Item(i.name, after_move(i.expression)) for i in node.items)
    changes: dict[exp.Expr, None] = {}
    for item in (i for i in node.items if moves(i.expression)):
        comparisons = _decided(item.expression)
        if comparisons is None:
            raise NotMaintained(ReasonCode.CLOCK_MOVED, to_sql(item.expression))
        changes |= dict.fromkeys(map(_changes, comparisons))
    some = exp.or_(*changes, wrap=True)
    terms: list[Node] = [] if below is None else [Project(below, (*old, weight))]
    terms.append(Project(Filter(weighted(node.input, 1), some), (*new, weight)))
    terms.append(Project(Filter(weighted(node.input, -1), some.copy()), (*old, weight)))
    return UnionAll(tuple(terms), widens=False)


def _decided(expression: exp.Expr) -> list[exp.Expr] | None:
    """Return the comparisons in which the clock has moved, None if it moved elsewhere too.

    A comparison must not fail on a row whose CASE does not reach it, so it has columns and
    constants only.
    """
    found: list[exp.Expr] = []
    for constant in expression.find_all(MovedConstant):
        around: exp.Expr | None = constant.parent
        while isinstance(around, exp.Paren):
            around = around.parent
        if not isinstance(around, _COMPARES) or not all(map(_is_plain, _operands(around))):
            return None
        found.append(around)
    return found


def _operands(comparison: exp.Expr) -> Iterator[exp.Expr]:
    for part in comparison.iter_expressions():
        yield part.unnest()


def _is_plain(operand: exp.Expr) -> bool:
    if isinstance(operand, (exp.Column, exp.Literal, MovedConstant)):
        return True
    return isinstance(operand, exp.Cast) and isinstance(operand.this, exp.Literal)


def _changes(comparison: exp.Expr) -> exp.Expr:
    """Return the condition that a comparison is another now than at the watermark's time."""
    old, new = before_move(comparison), after_move(comparison)
    return exp.Not(this=exp.paren(exp.NullSafeEQ(this=exp.paren(old), expression=exp.paren(new))))


def _not(predicate: exp.Expr) -> exp.Expr:
    """Return the condition that a predicate is not true: it is false or NULL."""
    true = exp.NullSafeEQ(this=exp.paren(predicate.copy()), expression=exp.true())
    return exp.Not(this=exp.paren(true))
