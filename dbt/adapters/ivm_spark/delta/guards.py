"""Types under which the rules of touched keys are not certain, asked before they are used.

A slice is taken back by netting its rows, so they must be comparable; a group that is computed
twice must give the same value twice, which a sum of floats need not; keys of two inputs are
matched by value, which text and numbers do in more than one way.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.equality import equal_pairs
from dbt.adapters.ivm_spark.state.types import check_comparable, is_float
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.view.tree import (
    Aggregate,
    Distinct,
    Item,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    SetOp,
    children,
    column,
    walk,
)

Describe = Callable[[Node], dict[str, str]]


def check_types(root: Node, describe: Describe) -> None:
    """Check every operator below that is maintained by its touched keys.

    describe: Spark's types of a tree's columns. Raises NotMaintained.
    """
    for node in walk(root):
        if not isinstance(node, (Aggregate, Distinct, OuterJoin, SemiJoin, SetOp)):
            continue
        for child in children(node):
            for name, kind in describe(child).items():
                check_comparable(name, kind)
        if isinstance(node, Aggregate):
            _check_floats(node, describe(node))
        else:
            _check_keys(node, describe)


def _check_floats(node: Aggregate, types: dict[str, str]) -> None:
    for item in node.aggregates:
        if is_float(types[item.name]):
            raise NotMaintained(
                ReasonCode.OPERATOR_NOT_SUPPORTED, "a float aggregate below another operator"
            )


def _check_keys(node: Node, describe: Describe) -> None:
    if isinstance(node, SetOp):
        left, right = describe(node.left), describe(node.right)
        pairs = list(zip(left.values(), right.values(), strict=True))
    elif isinstance(node, (OuterJoin, SemiJoin)):
        one, other = children(node)
        keys = equal_pairs(node.predicates, one, other)
        left = describe(_keys(one, [a for a, _ in keys]))
        right = describe(_keys(other, [b for _, b in keys]))
        pairs = list(zip(left.values(), right.values(), strict=True))
    else:
        return
    for a, b in pairs:
        if (a == "string") != (b == "string"):
            raise NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, f"a match of {a} with {b}")


def _keys(node: Node, keys: list[exp.Expr]) -> Node:
    items = tuple(Item(f"__ivm_key_{n}", key) for n, key in enumerate(keys))
    return Project(node, items) if items else Project(node, (Item("c", column(node.columns[0])),))
