"""Which parts of a delta's big partners can meet the change: those between the change's keys.

A change of some thousand rows joins a table of millions, and of the table's rows only those with
the change's keys matter. Spark would read them all. A table that is laid out by the key, or by a
time that goes with it, needs few of its files where the ranges of the keys are known beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.equality import equal_columns
from dbt.adapters.ivm_spark.delta.facts import SourceFacts
from dbt.adapters.ivm_spark.delta.origin import Origin, origin
from dbt.adapters.ivm_spark.delta.slim import is_slim
from dbt.adapters.ivm_spark.view.tree import Join, Node, OuterJoin, SemiJoin, Within
from dbt.adapters.ivm_spark.view.walk import children, with_children

BIG_ROWS = 5_000_000
"""Rows of a table above which asking for the keys' ranges costs less than what they may save."""
RANGED = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "string")


def with_within(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
    """The same tree with the big inputs that meet a small change marked as `Within` it.

    sources: by quoted name; those that are not there are not narrowed.
    """
    return _mark(root, lambda node, column: origin(node, column, sources))


_Find = Callable[[Node, str], "Origin | None"]


def _mark(node: Node, find: _Find) -> Node:
    node = with_children(node, tuple(_mark(child, find) for child in children(node)))
    if isinstance(node, Join):
        inputs = list(node.inputs)
        for n, partner in enumerate(node.inputs):
            for small in node.inputs:
                if small is not partner and inputs[n] is partner:
                    inputs[n] = _narrow(partner, small, node.predicates, find)
        return replace(node, inputs=tuple(inputs))
    if isinstance(node, SemiJoin):
        if is_slim(node.among):
            if node.anti:
                return node
            return replace(node, input=_narrow(node.input, node.among, node.predicates, find))
        return replace(node, among=_narrow(node.among, node.input, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "LEFT":
        return replace(node, right=_narrow(node.right, node.left, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "RIGHT":
        return replace(node, left=_narrow(node.left, node.right, node.predicates, find))
    return node


def _narrow(partner: Node, small: Node, predicates: tuple[exp.Expr, ...], find: _Find) -> Node:
    """The partner within the keys of a small relation, if an equality says which."""
    if is_slim(partner) or not is_slim(small):
        return partner
    for mine, other, null_safe in equal_columns(predicates, partner, small):
        own, key = find(partner, mine), find(small, other)
        if own is None or key is None or own.rows < BIG_ROWS:
            continue
        if own.type_name == key.type_name and key.type_name in RANGED:
            return Within(partner, small, mine, other, key.type_name, null_safe)
    return partner
