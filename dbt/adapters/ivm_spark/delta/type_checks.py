"""Checks, before rules of touched keys are used, for types under which they are not certain.

1. A slice is taken back by netting its rows, so the rows must be comparable.
2. A group that is computed twice must give the same value twice. A sum of floats need not.
3. Keys of two inputs are matched by value. Text and numbers match in more than one way, and so do
   wide numbers and floats.
4. A join with groups may have been a correlated subquery. Then several values of the groups' keys
   must not equal one value of the other side.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.expressions import (
    ORDER_DEPENDENT,
    function_name,
    value_in_order,
)
from dbt.adapters.ivm_spark.algebra.frames import ROUNDED, Frame, frame_of
from dbt.adapters.ivm_spark.algebra.predicates import equal_pairs
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.traversal import children, nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    SetOp,
    Window,
)
from dbt.adapters.ivm_spark.algebra.types import (
    check_comparable,
    check_orderable,
    decimal_of,
    is_float,
    is_small,
)
from dbt.adapters.ivm_spark.delta.meeting import null_aware
from dbt.adapters.ivm_spark.sql.rewrite.in_order import can_be_in_order

_PERCENTILES = frozenset("median percentile percentile_cont percentile_disc".split())
"""Aggregates that sort their input."""

Describe = Callable[[Node], dict[str, str]]


def check_types(root: Node, describe: Describe) -> None:
    """Raise NotMaintained for an operator of touched keys whose types are not certain.

    Args:
        root: the tree whose operators are checked.
        describe: returns Spark's types of a tree's columns.
    """
    for node in nodes(root):
        if isinstance(node, Join):
            _check_groups(node, describe)
        if not isinstance(node, (Aggregate, Distinct, OuterJoin, SemiJoin, SetOp, Window)):
            continue
        for child in children(node):
            for name, kind in describe(child).items():
                check_comparable(name, kind)
        if isinstance(node, Aggregate):
            _check_floats(node, describe)
            for name, kind in describe(node).items() if node.whole else ():
                check_comparable(name, kind)
        elif isinstance(node, Window):
            _check_window(node, describe)
        else:
            _check_keys(node, describe)


def aggregates_to_order(root: Node, describe: Describe) -> tuple[str, ...]:
    """Return the names of the aggregates in a tree that depend on the order of their rows.

    Only those that can be computed over rows in a fixed order, see `sql.rewrite.in_order`.

    Args:
        root: the tree below the stored groups.
        describe: returns Spark's types of a tree's columns.
    """
    found: dict[str, None] = {}
    for node in nodes(root):
        if not isinstance(node, Aggregate):
            continue
        for item in node.aggregates:
            in_order = value_in_order(item.expression) is not None
            depends = (function_name(item.expression) in ORDER_DEPENDENT and not in_order) or (
                is_float(describe(node)[item.name])
                and not _is_exact(node.input, item.expression, describe)
            )
            if depends and can_be_in_order(node, item.expression):
                found[item.name] = None
    return tuple(found)


def _check_floats(node: Aggregate, describe: Describe) -> None:
    types = describe(node)
    for item in node.aggregates:
        listed = value_in_order(item.expression)
        kinds = describe(_keys(node.input, [listed])).values() if listed is not None else ()
        if any(kind not in ("string", "binary") for kind in kinds):
            raise not_supported("listagg() of another type than string below another operator")
        if is_float(types[item.name]) and not _is_exact(node.input, item.expression, describe):
            raise not_supported("a float aggregate below another operator")


def _check_window(node: Window, describe: Describe) -> None:
    """Raise NotMaintained unless a window's partitions can be compared and computed twice alike.

    Keys must be comparable, and ORDER BY must be able to order its columns. A sum of floats needs a
    certain order of its rows, which all frames but those over a RANGE have, see
    `sql.rewrite.window`.
    """
    for name, kind in describe(_keys(node.input, list(node.keys))).items():
        check_comparable(name, kind)
    given, types = describe(node.input), describe(node)
    for item in node.items:
        window = item.expression
        assert isinstance(window, exp.Window)
        for ordering in window.find_all(exp.Ordered):
            if isinstance(ordering.this, exp.Column):
                check_orderable(ordering.this.name, given[ordering.this.name])
        function = function_name(window.this)
        rounded = function in ROUNDED and is_float(types[item.name])
        over_range = rounded and frame_of(window) is Frame.RANGE
        if over_range and not _is_exact(node.input, window.this, describe):
            raise not_supported(f"{function}() of floats over a RANGE of rows")


def _is_exact(rows: Node, call: exp.Expr, describe: Describe) -> bool:
    """Return whether an aggregate of floats does not depend on the order of the rows.

    These are extrema, percentiles of exact numbers, and averages of integers whose sum Spark's
    DOUBLE holds exactly.
    """
    name = function_name(call)
    if name in ("min", "max"):
        return True
    if name in _PERCENTILES:
        return not any(map(is_float, describe(_keys(rows, _sorted_by(call))).values()))
    arguments = call.expressions if isinstance(call, exp.Anonymous) else []
    if name not in ("avg", "mean") or len(arguments) != 1:
        return False
    if isinstance(arguments[0], exp.Distinct):
        return False
    return all(is_small(kind) for kind in describe(_keys(rows, arguments)).values())


def _sorted_by(call: exp.Expr) -> list[exp.Expr]:
    """Return the values that a percentile sorts."""
    bare = call.this if isinstance(call, exp.Filter) else call
    if isinstance(bare, exp.WithinGroup):
        value = bare.expression.expressions[0].this
    elif isinstance(bare, exp.Anonymous):
        value = bare.expressions[0]
    else:
        return []
    return list(value.expressions) if isinstance(value, exp.Distinct) else [value]


def _check_groups(node: Join, describe: Describe) -> None:
    """Check every input with groups against the other inputs."""
    for one in node.inputs:
        if any(isinstance(below, (Aggregate, Distinct, Window)) for below in nodes(one)):
            others = Join(tuple(i for i in node.inputs if i is not one))
            _check_matches(one, others, node.predicates, describe)


def _check_keys(node: Node, describe: Describe) -> None:
    if isinstance(node, SetOp):
        left, right = describe(node.left), describe(node.right)
        _check_pairs(left, right)
    elif isinstance(node, (OuterJoin, SemiJoin)):
        one, other = children(node)
        plain = tuple(null_aware(p) or p for p in node.predicates)
        _check_matches(one, other, plain, describe)


def _check_matches(
    one: Node, other: Node, predicates: tuple[exp.Expr, ...], describe: Describe
) -> None:
    keys = equal_pairs(predicates, one, other)
    if keys:
        left = describe(_keys(one, [a for a, _ in keys]))
        right = describe(_keys(other, [b for _, b in keys]))
        _check_pairs(left, right)


def _check_pairs(left: dict[str, str], right: dict[str, str]) -> None:
    for a, b in zip(left.values(), right.values(), strict=True):
        if (a == "string") != (b == "string") or _is_rounded(a, b) or _is_rounded(b, a):
            raise not_supported(f"a match of {a} with {b}")


def _is_rounded(one: str, other: str) -> bool:
    """Return whether two different values of a type may equal one value of the other type."""
    wide = one == "bigint" or decimal_of(one) is not None
    return is_float(other) and (wide or (is_small(one) and other == "float"))


def _keys(node: Node, keys: list[exp.Expr]) -> Node:
    return Project(node, tuple(Item(f"__ivm_key_{n}", key) for n, key in enumerate(keys)))
