"""The delta of filters and projections in which an expression has moved.

    SELECT * FROM orders WHERE d >= current_date() - 30

The time may have moved, or somebody has written 60 in place of 30. With p the predicate at the
watermark and p' the predicate now, the delta is

    Δ = filter(Δorders, p) ⊎ filter(orders, p' AND NOT p) ⊎ -filter(orders, p AND NOT p')

The changed rows are those of the old view. Then the rows that enter and the rows that leave are
read from the source as it is now. Both conditions have literal bounds, so files are skipped.

A projection is the same: rows whose values differ are projected with the old values, weight -1,
and with the new. The clock is followed if it decides the values of some rows only: in a comparison
(CASE WHEN d >= … THEN …), or where it stands in for a NULL (coalesce(ended_at, now())). How many
rows another expression changes is counted before.

The rules hold for any two predicates, so the clock may also run backwards.

Source: the delta of a selection whose predicate changes, as for a join with the one row of a
relation `clock`: Koch, "Incremental query evaluation in a ring of databases" (PODS 2010).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, expressions_of
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.moved import Edited, Moved, after_move, before_move, moves
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import children, walk
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
_STAND_INS = frozenset({"coalesce", "nvl", "ifnull"})
"""Functions whose arguments after the first count only where those before are NULL."""
_BOUNDS = frozenset({"least", "greatest"})


def unfollowed(root: Node) -> exp.Expr | None:
    """Return an expression in which the clock has moved and that no rule follows, None if none."""
    for node in walk(root):
        for expression in expressions_of(node):
            if not moves(expression) or isinstance(node, Filter):
                continue
            if not isinstance(node, Project) or not _moves_some(expression):
                return expression
    return None


def is_moved(node: Node) -> bool:
    """Return whether one of a node's own expressions has moved."""
    return any(map(moves, expressions_of(node)))


def check_followed(node: Node, derived: Sequence[Node]) -> None:
    """Raise NotMaintained if a rule has passed over a node in which an expression has moved.

    A rule may compute several operators below a node at once, on old and new rows. It then takes
    the delta of the lowest ones only, and all others would be as they are now on both sides.

    Args:
        node: the node of the rule.
        derived: the nodes below of which the rule has derived the deltas.
    """
    known = {id(below) for below in derived}
    waiting = list(children(node))
    while waiting:
        below = waiting.pop()
        if id(below) in known:
            continue
        moved = next(filter(moves, expressions_of(below)), None)
        if moved is not None:
            raise not_followed(moved)
        waiting.extend(children(below))


def not_followed(expression: exp.Expr) -> NotMaintained:
    """Return the exception for an expression that has moved and that no rule follows."""
    if expression.find(Edited) is None:
        return NotMaintained(ReasonCode.CLOCK_MOVED, to_sql(expression))
    detail = f"no rule follows the change to {to_sql(expression)}"
    return NotMaintained(ReasonCode.QUERY_FINGERPRINT_CHANGED, detail)


def moved_filter(node: Filter, below: Node | None) -> Node:
    """Return the delta of a filter whose predicate has moved; `below` is the input's delta."""
    old, new = before_move(node.predicate), after_move(node.predicate)
    terms: list[Node] = [] if below is None else [Filter(below, old)]
    terms.append(Filter(weighted(node.input, 1), exp.and_(new, not_true(old))))
    terms.append(Filter(weighted(node.input, -1), exp.and_(old, not_true(new))))
    return UnionAll(tuple(terms), widens=False)


def moved_project(node: Project, below: Node | None) -> Node:
    """Return the delta of a projection whose values have moved; `below` is the input's delta.

    Raises NotMaintained if the clock moves the value of every row, see `unfollowed`.
    """
    weight = Item(WEIGHT, column(WEIGHT))
    old = tuple(Item(i.name, before_move(i.expression)) for i in node.items)
    new = tuple(Item(i.name, after_move(i.expression)) for i in node.items)
    changes = []
    for item, before, after in zip(node.items, old, new, strict=True):
        if not moves(item.expression):
            continue
        if not _moves_some(item.expression):
            raise not_followed(item.expression)
        changes.append(differ(before.expression, after.expression))
    some = exp.or_(*changes, wrap=True)
    terms: list[Node] = [] if below is None else [Project(below, (*old, weight))]
    terms.append(Project(Filter(weighted(node.input, 1), some), (*new, weight)))
    terms.append(Project(Filter(weighted(node.input, -1), some.copy()), (*old, weight)))
    return UnionAll(tuple(terms), widens=False)


def _moves_some(expression: exp.Expr) -> bool:
    """Return whether the clock moves an expression's value for some rows only, as far as it shows.

    It does in a comparison, in a branch of a CASE, and where it stands in for a NULL. In
    `datediff(current_date(), d)` it moves every row, and a rebuild writes no more than the change.
    An expression that somebody has edited counts as one that moves some.
    """
    return all(isinstance(m, Edited) or _is_guarded(m) for m in expression.find_all(Moved))


def _is_guarded(constant: exp.Expr) -> bool:
    part, around = constant, constant.parent
    while around is not None:
        if isinstance(around, (*_COMPARES, exp.Case, exp.If)):
            return True
        name = function_name(around)
        if name in _STAND_INS and part is not _first(around):
            return True
        if name in _BOUNDS and len(list(around.iter_expressions())) > 1:
            return True
        part, around = around, around.parent
    return False


def _first(call: exp.Expr) -> exp.Expr | None:
    return next(iter(call.iter_expressions()), None)


def differ(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    """Return the condition that two values are not the same, NULL being the same as NULL.

    It evaluates the values as a whole, so that a CASE still guards what may fail in its branches.
    """
    same = exp.NullSafeEQ(this=exp.paren(one.copy()), expression=exp.paren(other.copy()))
    return exp.Not(this=exp.paren(same))


def not_true(predicate: exp.Expr) -> exp.Expr:
    """Return the condition that a predicate is not true: it is false or NULL."""
    return differ(predicate, exp.true())
