"""Set operations between query blocks: UNION ALL becomes one operator over its branches."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.view.block import BlockBuilder, Built, Ctes
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.view.tree import Distinct, Item, Node, Project, UnionAll, column


def build_union(builder: BlockBuilder, union: exp.Union, ctes: Ctes) -> Built:
    """The tree of UNION ALL, or of UNION, which is its distinct rows."""
    for clause in ("order", "limit", "offset", "by_name", "side", "kind", "on", "match"):
        if union.args.get(clause):
            raise NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, f"{clause} on a UNION")
    branches = [builder.query(branch, ctes) for branch in (union.left, union.right)]
    if len({len(b.outputs) for b in branches}) != 1:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "UNION of different widths")
    outputs = tuple((label, builder.names.unique(label)) for label, _ in branches[0].outputs)
    node: Node = UnionAll(
        tuple(
            Project(
                branch.node,
                tuple(
                    Item(unique, column(inner))
                    for (_, unique), (_, inner) in zip(outputs, branch.outputs, strict=True)
                ),
            )
            for branch in branches
        )
    )
    if union.args.get("distinct"):
        node = Distinct(node)
    return Built(node, outputs)
