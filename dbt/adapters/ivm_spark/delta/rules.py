"""The delta of a view tree: one rule an operator, all of them in one tuple.

A new operator needs a rule module and an entry here, with its technique and its words. An operator
without a rule is not maintained below the top of a view.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
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
    TimeWindow,
    UnionAll,
    Values,
    Window,
)
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.grouping import delta_aggregate, delta_distinct
from dbt.adapters.ivm_spark.delta.join import delta_join
from dbt.adapters.ivm_spark.delta.linear import delta_semi_join
from dbt.adapters.ivm_spark.delta.matching import delta_outer_join, delta_set_op
from dbt.adapters.ivm_spark.delta.moved import check_followed
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


class DeltaRule(Protocol):
    """The delta of one kind of node.

    It returns a tree with the node's columns and `WEIGHT`, each weight +1 or -1, or None if nothing
    below has changed. It raises NotMaintained if there is no rule for this very node.
    """

    def __call__(self, node: Any, derive: Derive, context: Context, /) -> Node | None: ...


class Moves(str, Enum):
    """How much of a relation a refresh computes when the relation changes."""

    FEED = "change_feed"
    CONSTANT = "constant"
    ROWS = "row_based"
    GROUPS = "affected_groups"
    PARTITIONS = "affected_partitions"


@dataclass(frozen=True)
class Rule:
    """How one kind of node changes.

    Attributes:
        node: the kind.
        delta: its rule.
        moves: how much of the relation a refresh computes.
        how: the same in words, for people.
    """

    node: type[Any]
    delta: DeltaRule
    moves: Moves
    how: str


_APPLIED = "applied to the changed rows"
_GROUPS = "changed groups, before and after the change"
_PARTNERS = "changed rows, and rows that gain or lose a partner"

RULES: tuple[Rule, ...] = (
    Rule(Scan, delta_scan, Moves.FEED, "rows that the source's commits changed"),
    Rule(Values, delta_values, Moves.CONSTANT, "never changes"),
    Rule(Filter, delta_filter, Moves.ROWS, _APPLIED),
    Rule(Project, delta_project, Moves.ROWS, _APPLIED),
    Rule(Generate, delta_generate, Moves.ROWS, _APPLIED),
    Rule(TimeWindow, delta_generate, Moves.ROWS, _APPLIED),
    Rule(Sort, delta_sort, Moves.ROWS, "the state does not keep the order of rows"),
    Rule(UnionAll, delta_union_all, Moves.ROWS, "the changed rows of every input"),
    Rule(Join, delta_join, Moves.ROWS, "changed rows joined with the other inputs"),
    Rule(OuterJoin, delta_outer_join, Moves.ROWS, _PARTNERS),
    Rule(SemiJoin, delta_semi_join, Moves.ROWS, _PARTNERS),
    Rule(SetOp, delta_set_op, Moves.GROUPS, "recounts the changed rows on both sides"),
    Rule(
        Aggregate,
        delta_aggregate,
        Moves.GROUPS,
        _GROUPS,
    ),
    Rule(Distinct, delta_distinct, Moves.GROUPS, "rows that appear and rows that vanish"),
    Rule(Window, delta_window, Moves.PARTITIONS, "recomputes changed partitions"),
)
RULE_OF: dict[type[Any], Rule] = {rule.node: rule for rule in RULES}
"""The rule of each kind of node that has one."""
REFUSED: dict[type[Any], str] = {Limit: "LIMIT below another operator"}
"""The nodes of a maintained tree that have no rule, and what people call them."""


def delta(node: Node, context: Context) -> Node | None:
    """Return the change of a relation from the versions in the watermark to the new versions.

    It is a tree with the node's columns and `WEIGHT`, or None if no source below moved. Every
    weight is +1 or -1, and equal rows are not netted. Raises NotMaintained (OPERATOR_NOT_SUPPORTED)
    for an operator without a rule.
    """
    derived: list[Node] = []

    def derive(below: Node) -> Node | None:
        derived.append(below)
        return delta(below, context)

    rule = RULE_OF.get(type(node))
    if rule is None:
        raise not_supported(REFUSED.get(type(node), type(node).__name__))
    change = rule.delta(node, derive, context)
    check_followed(node, derived)
    if change is not None:
        check_delta(node, change)
    return change


def check_delta(node: Node, change: Node) -> None:
    """Check that a delta has the node's columns, and the weight exactly once.

    Raises NotMaintained (INTERNAL_ERROR).
    """
    columns = change.columns
    if columns.count(WEIGHT) != 1 or set(columns) != {*node.columns, WEIGHT}:
        detail = f"{type(node).__name__}: {node.columns} have the delta {columns}"
        raise NotMaintained(ReasonCode.INTERNAL_ERROR, detail)
