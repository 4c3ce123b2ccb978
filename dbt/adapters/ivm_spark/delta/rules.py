"""The delta of a view tree: one rule an operator, listed in one tuple.

A new operator is one new rule module and one line here; an operator without a rule is not
maintained below the top of a view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    SetOp,
    Sort,
    UnionAll,
    Values,
    Window,
)
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.grouping import delta_aggregate, delta_distinct
from dbt.adapters.ivm_spark.delta.join import delta_join
from dbt.adapters.ivm_spark.delta.linear import delta_semi_join
from dbt.adapters.ivm_spark.delta.matching import delta_outer_join, delta_set_op
from dbt.adapters.ivm_spark.delta.rowwise import (
    delta_filter,
    delta_generate,
    delta_project,
    delta_scan,
    delta_sort,
    delta_union_all,
    delta_values,
)
from dbt.adapters.ivm_spark.delta.window import delta_window

RULES: tuple[tuple[type, Callable[..., Node | None]], ...] = (
    (Scan, delta_scan),
    (Values, delta_values),
    (Filter, delta_filter),
    (Project, delta_project),
    (Generate, delta_generate),
    (Sort, delta_sort),
    (UnionAll, delta_union_all),
    (Join, delta_join),
    (Aggregate, delta_aggregate),
    (Distinct, delta_distinct),
    (Window, delta_window),
    (OuterJoin, delta_outer_join),
    (SemiJoin, delta_semi_join),
    (SetOp, delta_set_op),
)

_CLAUSES: dict[type, str] = {
    Limit: "LIMIT below another operator",
}


def delta(node: Node, context: Context) -> Node | None:
    """The change of a relation between the recorded and the new versions of its sources.

    Returns a tree with the node's columns and `WEIGHT`, or None if no source below moved. Every
    weight is +1 or -1; equal rows are not netted. Raises NotMaintained (OPERATOR_NOT_SUPPORTED)
    for an operator without a rule.
    """

    def derive(below: Node) -> Node | None:
        return delta(below, context)

    rules: dict[type, Any] = dict(RULES)
    rule = rules.get(type(node))
    if rule is None:
        clause = _CLAUSES.get(type(node), type(node).__name__)
        raise not_supported(clause)
    change: Node | None = rule(node, derive, context)
    return change
