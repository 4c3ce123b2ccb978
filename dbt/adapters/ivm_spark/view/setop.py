"""Set operations between query blocks."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.view.block import BlockBuilder, Built, Ctes
from dbt.adapters.ivm_spark.view.environment import Environment
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.view.tree import (
    Distinct,
    Item,
    Node,
    Project,
    SetOp,
    UnionAll,
    column,
)


def build_set_op(
    builder: BlockBuilder, union: exp.SetOperation, ctes: Ctes, outer: Environment | None
) -> Built:
    """The tree of UNION, INTERSECT or EXCEPT, with or without ALL.

    Raises NotMaintained for ORDER BY and LIMIT on the whole, and for BY NAME.
    """
    for clause in ("order", "limit", "offset", "by_name", "side", "kind", "on", "match"):
        if union.args.get(clause):
            raise NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, f"{clause} on a set operation")
    branches = [builder.query(branch, ctes, outer) for branch in (union.left, union.right)]
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
        return Built(Distinct(node) if distinct else node, outputs)
    kind = "INTERSECT" if isinstance(union, exp.Intersect) else "EXCEPT"
    return Built(SetOp(sides[0], sides[1], kind, not distinct), outputs)
