"""Rewrites a filter over the relation that a subquery became.

A filter on a mark takes the rows with the mark, or those without. A filter that needs a partner's
value turns a LEFT JOIN into an inner join.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import over
from dbt.adapters.ivm_spark.algebra.tree import (
    Filter,
    Join,
    Node,
    OuterJoin,
    Project,
    UnionAll,
)

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_STRICT = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren, exp.Cast)


def rewrite_filter(node: Filter) -> Node:
    """Return the same rows, with fewer or cheaper operators below."""
    if isinstance(node.input, UnionAll):
        return _of_marks(node, node.input)
    if isinstance(node.input, Project) and isinstance(node.input.input, OuterJoin):
        return _of_outer_join(node, node.input, node.input.input)
    return node


def _of_marks(node: Filter, union: UnionAll) -> Node:
    """Return the branches of a mark, each filtered by the predicate with the branch's value.

    A branch for which the predicate is false is removed.
    """
    branches: list[Node] = []
    for branch in union.inputs:
        marks = _literals(branch)
        if not marks or branch.columns != union.columns:
            return node
        predicate = _folded(node.predicate, marks)
        if isinstance(predicate, exp.Boolean):
            branches.extend([branch] if predicate.this else [])
        else:
            branches.append(Filter(branch, predicate))
    if not branches:
        return Filter(union, exp.false())
    return branches[0] if len(branches) == 1 else UnionAll(tuple(branches))


def _literals(branch: Node) -> dict[str, bool]:
    if not isinstance(branch, Project):
        return {}
    return {
        item.name: bool(item.expression.this)
        for item in branch.items
        if isinstance(item.expression, exp.Boolean)
    }


def _folded(expression: exp.Expr, marks: dict[str, bool]) -> exp.Expr:
    """Return the predicate with the marks' values, AND, OR and NOT of known values computed."""
    bare = expression.unnest()
    if isinstance(bare, exp.Column) and bare.name in marks:
        return exp.Boolean(this=marks[bare.name])
    if isinstance(bare, exp.Not):
        inner = _folded(bare.this, marks)
        known = isinstance(inner, exp.Boolean)
        return exp.Boolean(this=not inner.this) if known else exp.Not(this=inner)
    if isinstance(bare, (exp.And, exp.Or)):
        decisive = isinstance(bare, exp.Or)
        sides = [_folded(side, marks) for side in (bare.left, bare.right)]
        if any(isinstance(s, exp.Boolean) and bool(s.this) == decisive for s in sides):
            return exp.Boolean(this=decisive)
        open_ = [exp.paren(s) for s in sides if not isinstance(s, exp.Boolean)]
        if not open_:
            return exp.Boolean(this=not decisive)
        return open_[0] if len(open_) == 1 else type(bare)(this=open_[0], expression=open_[1])
    return expression


def _of_outer_join(node: Filter, project: Project, join: OuterJoin) -> Node:
    """Return an inner join for a LEFT JOIN if the filter rejects rows without a partner.

    Such a row has NULLs in place of the partner's values, and a comparison with NULL is never true.
    """
    predicate = over(node.predicate, {i.name: i.expression for i in project.items})
    if join.side != "LEFT" or not join.predicates:
        return node
    if not _rejects_null(predicate, set(join.right.columns)):
        return node
    return Filter(
        Project(Join((join.right, join.left), join.predicates), project.items), node.predicate
    )


def _rejects_null(predicate: exp.Expr, columns: set[str]) -> bool:
    bare = predicate.unnest()
    if not isinstance(bare, _COMPARISONS):
        return False
    return any(_is_strict(side, columns) for side in (bare.left, bare.right))


def _is_strict(expression: exp.Expr, columns: set[str]) -> bool:
    """Return whether the expression is NULL as soon as one of the columns in it is NULL."""
    if isinstance(expression, exp.Column):
        return expression.name in columns
    if isinstance(expression, _STRICT):
        parts = list(expression.iter_expressions())
        return any(_is_strict(part, columns) for part in parts)
    return False
