"""Set operations between query blocks."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import aggregates_in, check
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Distinct,
    Item,
    Limit,
    Node,
    Project,
    SetOp,
    Sort,
    UnionAll,
)
from dbt.adapters.ivm_spark.sql.block import BlockBuilder, Built, Ctes
from dbt.adapters.ivm_spark.sql.environment import Environment

_OPERANDS = {"this", "expression"}


def build_set_op(
    builder: BlockBuilder, union: exp.SetOperation, ctes: Ctes, outer: Environment | None
) -> Built:
    """Return the tree of UNION, INTERSECT or EXCEPT, with its ORDER BY and LIMIT.

    Each operation may have ALL. Raises NotMaintained for BY NAME.
    """
    for clause in ("by_name", "side", "kind", "on", "match"):
        if union.args.get(clause):
            raise not_supported(f"{clause} on a set operation")
    branches = [builder.query(branch, ctes, outer) for branch in _branches(union)]
    if len({len(b.outputs) for b in branches}) != 1:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "a set operation of different widths")
    outputs = tuple((label, builder.names.unique(label)) for label, _ in branches[0].outputs)
    sides = [
        Project(
            branch.node,
            tuple(
                Item(unique, column(inner))
                for (_, unique), (_, inner) in zip(outputs, branch.outputs, strict=True)
            ),
        )
        for branch in branches
    ]
    distinct = bool(union.args.get("distinct"))
    if isinstance(union, exp.Union):
        node: Node = UnionAll(tuple(sides))
        return Built(_ordered(union, Distinct(node) if distinct else node, outputs), outputs)
    kind = "INTERSECT" if isinstance(union, exp.Intersect) else "EXCEPT"
    node = SetOp(sides[0], sides[1], kind, not distinct)
    return Built(_ordered(union, node, outputs), outputs)


def _branches(union: exp.SetOperation) -> list[exp.Expr]:
    """Return the operands, left to right; for `a UNION ALL b UNION ALL c ...`, all of them.

    sqlglot nests such a chain to the left, one level for each branch.
    """
    branches: list[exp.Expr] = [union.right]
    left: exp.Expr = union.left
    while _is_union_all(union) and _is_union_all(left) and set(_given(left)) == _OPERANDS:
        branches.append(left.args["expression"])
        left = left.this
    return [left, *reversed(branches)]


def _is_union_all(query: exp.Expr) -> bool:
    return isinstance(query, exp.Union) and not query.args.get("distinct")


def _given(query: exp.Expr) -> list[str]:
    return [key for key, value in query.args.items() if value]


def _ordered(union: exp.SetOperation, node: Node, outputs: tuple[tuple[str, str], ...]) -> Node:
    """Return the set operation under its LIMIT, its OFFSET, and its ORDER BY over its outputs."""
    names = dict(outputs)
    orderings = []
    for ordering in union.args["order"].expressions if union.args.get("order") else ():
        check(ordering.this)
        used = {c.name for c in ordering.find_all(exp.Column)}
        if not used or not used <= names.keys() or aggregates_in(ordering):
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "this ORDER BY of a set operation")
        orderings.append(
            ordering.transform(lambda n: column(names[n.name]) if isinstance(n, exp.Column) else n)
        )
    if orderings:
        node = Sort(node, tuple(orderings))
    limit, offset = union.args.get("limit"), union.args.get("offset")
    if limit is None and offset is None:
        return node
    return Limit(node, limit and limit.expression, offset and offset.expression)
