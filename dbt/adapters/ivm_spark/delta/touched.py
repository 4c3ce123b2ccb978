"""The delta of operators of touched keys.

The output of such an operator for a key depends only on its inputs' rows of that key. GROUP BY,
DISTINCT, full joins by equality, INTERSECT and EXCEPT are such operators. Only the output for keys
in a delta can change. So the operator runs on the rows of these keys, new and old, told apart by a
column that is part of the operator's key. The old result is taken from the new one:

    K = keys(Δ₁), keys(Δ₂) …      Δ = op(post ⋉ K) ⊎ -op(pre ⋉ K)      pre ⋉ K = (post ⋉ K) ⊎ -Δ

It reads no old version of a source.

Source: Griffin, Kumar, "Algebraic change propagation for semijoin and outerjoin queries" (SIGMOD
Record 1998); Gupta, Mumick, Subrahmanian, "Maintaining views incrementally" (SIGMOD 1993), section
6, for negation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Distinct,
    Empty,
    Filter,
    Item,
    Node,
    Project,
    SemiJoin,
    UnionAll,
)
from dbt.adapters.ivm_spark.delta.bags import SIDE, is_both_sides, now_and_before

Rebuild = Callable[[tuple[Node, ...]], Node]


@dataclass(frozen=True)
class Input:
    """An input of the operator.

    Attributes:
        post: its post-state.
        delta: None if it did not change.
        keys: its expressions of the operator's key.
    """

    post: Node
    delta: Node | None
    keys: tuple[exp.Expr, ...]


def touched(inputs: tuple[Input, ...], rebuild: Rebuild, copies: bool = True) -> Node | None:
    """Return the delta of the operator that `rebuild` applies to its inputs.

    Args:
        inputs: all with equally many keys, at least one, matched by place and null-safe.
        rebuild: returns the operator over other inputs. These have `SIDE` as their last column,
            which is part of its key; it outputs `SIDE` too.
        copies: False if each distinct row of the inputs is enough, once.
    """
    if all(i.delta is None for i in inputs):
        return None
    both = rebuild(touched_rows(inputs, touched_keys(inputs), copies))
    items = passed(c for c in both.columns if c != SIDE)
    return Project(both, (*items, Item(WEIGHT, column(SIDE))))


def touched_rows(inputs: tuple[Input, ...], among: Node, copies: bool = True) -> tuple[Node, ...]:
    """Return each input's rows of some keys, new and old, told apart by the last column, `SIDE`.

    Args:
        inputs: as for `touched`.
        among: `touched_keys` of all inputs that changed.
        copies: as for `touched`.
    """
    return tuple(now_and_before(_slice(i, among), i.delta, copies) for i in inputs)


def touched_keys(inputs: tuple[Input, ...]) -> Node:
    """Return the distinct keys that any delta has, as columns `__ivm_touched_0`, ….

    The branch of an input that did not change is empty. It takes part in choosing the types.
    """
    branches = []
    for i in inputs:
        source = i.delta if i.delta is not None else Empty(i.post)
        items = tuple(Item(f"__ivm_touched_{n}", key) for n, key in enumerate(i.keys))
        branches.append(Project(source, items))
    return Distinct(UnionAll(tuple(branches)) if len(branches) > 1 else branches[0])


def recomputed(node: Node) -> tuple[Node, ...]:
    """Return the rows of touched keys, as they are now, that an operator of a delta combines again.

    There are none below an operator whose delta is not by touched keys.
    """
    return tuple(n.input for n in nodes(node) if is_both_sides(n))


def _slice(given: Input, among: Node) -> Node:
    """Return the input's rows of the touched keys; the input's filter runs after the semi join."""
    if isinstance(given.post, Filter):
        return replace(given.post, input=_slice(replace(given, post=given.post.input), among))
    columns = passed(given.post.columns)
    keys = tuple(Item(f"__ivm_key_{n}", key) for n, key in enumerate(given.keys))
    same = tuple(
        exp.NullSafeEQ(this=column(f"__ivm_key_{n}"), expression=column(f"__ivm_touched_{n}"))
        for n in range(len(keys))
    )
    return Project(SemiJoin(Project(given.post, (*columns, *keys)), among, same), columns)
