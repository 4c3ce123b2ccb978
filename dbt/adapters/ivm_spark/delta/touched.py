"""The delta of an operator whose output for a key depends on its inputs' rows of that key only.

GROUP BY, DISTINCT, full joins by equality, INTERSECT and EXCEPT are such. Only the keys that a
delta touches can change, so the operator is applied to the rows of those keys, as they are and as
they were, told apart by a column that is part of its key, and the second result is taken from the
first:

    K = keys(Δ₁), keys(Δ₂) …      Δ = op(post ⋉ K) ⊎ -op(pre ⋉ K)      pre ⋉ K = (post ⋉ K) ⊎ -Δ

No old version of a source is read. Griffin, Kumar, "Algebraic change propagation for semijoin and
outerjoin queries" (SIGMOD Record 1998); Gupta, Mumick, Subrahmanian, "Maintaining views
incrementally" (SIGMOD 1993), section 6, for negation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
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
from dbt.adapters.ivm_spark.delta.bags import SIDE, now_and_before

Rebuild = Callable[[tuple[Node, ...]], Node]


@dataclass(frozen=True)
class Input:
    """An input of the operator: its new state, its delta if it changed, and its key."""

    post: Node
    delta: Node | None
    keys: tuple[exp.Expr, ...]


def touched(
    inputs: tuple[Input, ...], rebuild: Rebuild, copies: bool = True, rows: Node | None = None
) -> Node | None:
    """The delta of the operator that `rebuild` applies to its inputs.

    inputs: all with equally many keys, at least one, matched by place and null-safe. rebuild: the
    operator over other inputs, with `SIDE` as their last column and as a part of its key; outputs
    `SIDE` too. copies: False where only the different rows of the inputs matter. rows: those of the
    only input that are needed, all changed ones that there are now among them, where not all of the
    touched keys are.
    """
    if all(i.delta is None for i in inputs):
        return None
    if rows is not None:
        (given,) = inputs
        both = rebuild((now_and_before(rows, given.delta, copies),))
    else:
        both = rebuild(touched_rows(inputs, touched_keys(inputs), copies))
    items = passed(c for c in both.columns if c != SIDE)
    return Project(both, (*items, Item(WEIGHT, column(SIDE))))


def touched_rows(inputs: tuple[Input, ...], among: Node, copies: bool = True) -> tuple[Node, ...]:
    """Of each input the rows of some keys, as they are and as they were, told apart by their last
    column, `SIDE`.

    among: `touched_keys` of all inputs that changed.
    """
    return tuple(now_and_before(_slice(i, among), i.delta, copies) for i in inputs)


def touched_keys(inputs: tuple[Input, ...]) -> Node:
    """The different keys that any delta has, as columns `__ivm_touched_0`, ...; the branch of an
    input that did not change is empty and has its say in the types."""
    branches = []
    for i in inputs:
        source = i.delta if i.delta is not None else Empty(i.post)
        items = tuple(Item(f"__ivm_touched_{n}", key) for n, key in enumerate(i.keys))
        branches.append(Project(source, items))
    return Distinct(UnionAll(tuple(branches)) if len(branches) > 1 else branches[0])


def _slice(given: Input, among: Node) -> Node:
    """The input's rows of the touched keys; what is filtered is filtered after."""
    if isinstance(given.post, Filter):
        return replace(given.post, input=_slice(replace(given, post=given.post.input), among))
    columns = passed(given.post.columns)
    keys = tuple(Item(f"__ivm_key_{n}", key) for n, key in enumerate(given.keys))
    same = tuple(
        exp.NullSafeEQ(this=column(f"__ivm_key_{n}"), expression=column(f"__ivm_touched_{n}"))
        for n in range(len(keys))
    )
    return Project(SemiJoin(Project(given.post, (*columns, *keys)), among, same), columns)
