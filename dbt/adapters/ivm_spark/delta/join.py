"""The delta of an inner join: one term for each input that changed.

    Δ(R₁ ⋈ … ⋈ Rₙ) = Σᵢ post₁ … postᵢ₋₁ ⋈ Δᵢ ⋈ preᵢ₊₁ … preₙ

A pre-state is never read from an old version, which may be removed or forbidden by the retention:
pre = post ⊎ -Δ.

If more than two inputs changed, the biggest of them comes last. It is joined once, with the sum of
the other terms, instead of once with each. With R the join of the other inputs, this is the same
equation:

    Δ(R ⋈ S) = ΔR ⋈ S_pre + R_post ⋈ ΔS

A big table that did not change and has no filter of its own is not joined with each term, but once
with their sum: Δ(R ⋈ S) = ΔR ⋈ S.

Source: Griffin, Libkin, "Incremental maintenance of views with duplicates" (SIGMOD 1995); for n
inputs at once as in Oracle's fast refresh of join views.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import passed, used_columns
from dbt.adapters.ivm_spark.algebra.predicates import sides
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, Join, Node, Project, Scan, UnionAll
from dbt.adapters.ivm_spark.analysis.cardinality import rows_read
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.analysis.source_facts import rows_of
from dbt.adapters.ivm_spark.delta.bags import before
from dbt.adapters.ivm_spark.delta.common_key import by_common_key
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.join_order import connected, meets

FACTOR_ROWS = 2_000_000
"""A table with at least so many rows is worth joining once less."""


def delta_join(node: Join, derive: Derive, context: Context) -> Node | None:
    """Return the sum of the terms; an input that did not change has no term and no pre-state.

    If an input computes something from a source that another input reads too, the delta is by
    touched keys instead (`by_common_key`).
    """
    if not is_monotone(node):
        found = by_common_key(node, derive, context)
        if found is not None:
            return found
    return _sum(node, [derive(child) for child in node.inputs], context)


def _sum(node: Join, deltas: list[Node | None], context: Context) -> Node | None:
    last = _joined_last(node, deltas, context)
    if last:
        return _before_last(node, deltas, last, context)
    factors = _factors(node, deltas, context)
    if factors is not None:
        return _factored(node, deltas, *factors, context)
    terms: list[Node] = []
    columns = (*node.columns, WEIGHT)
    for i, delta in enumerate(deltas):
        if delta is None:
            continue
        partners: list[Node] = []
        for j, child in enumerate(node.inputs):
            later = deltas[j] if j > i else None
            if j != i:
                partners.append(child if later is None else before(child, later))
        term = Join(connected(delta, partners, node.predicates), node.predicates)
        terms.append(Project(term, passed(columns)))
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else UnionAll(tuple(terms), widens=False)


def _factors(
    node: Join, deltas: list[Node | None], context: Context
) -> tuple[list[int], int] | None:
    """Return the places of the changed inputs to join first, and the place of the last one.

    It returns None if that saves nothing, or if no predicate connects the first ones.
    """
    rows = rows_of(context.sources)
    moved = [i for i, delta in enumerate(deltas) if delta is not None]
    sizes = {i: rows_read(node.inputs[i], rows) for i in moved}
    last = max(moved, key=lambda i: sizes[i], default=0)
    first = [i for i in moved if i != last]
    if len(first) < 2 or sizes[last] < FACTOR_ROWS:
        return None
    return (first, last) if _reached(node, first) >= set(first) else None


def _reached(node: Join, places: list[int]) -> set[int]:
    """Return those of some inputs that predicates connect to the first of them."""
    uses = [used_columns(predicate) for predicate in node.predicates]
    seen, waiting = set(node.inputs[places[0]].columns), places[1:]
    while waiting:
        met = next((i for i in waiting if meets(node.inputs[i], seen, uses)), None)
        if met is None:
            break
        seen |= set(node.inputs[met].columns)
        waiting.remove(met)
    return set(places) - set(waiting)


def _joined_last(node: Join, deltas: list[Node | None], context: Context) -> list[int]:
    """Return the places of a big unchanged input, and of those that only it connects to a change.

    It returns nothing if that saves nothing, or if one of them has a filter: it makes a term
    smaller before that meets the other inputs.
    """
    moved = [i for i, delta in enumerate(deltas) if delta is not None]
    if len(moved) < 2:
        return []
    rows = rows_of(context.sources)
    for big in range(len(deltas)):
        if deltas[big] is not None or rows_read(node.inputs[big], rows) < FACTOR_ROWS:
            continue
        others = [*moved, *(i for i in range(len(deltas)) if i not in (big, *moved))]
        reached = _reached(node, others)
        last = [i for i in range(len(deltas)) if i not in reached]
        if reached >= set(moved) and all(_is_whole(node, i) for i in last):
            return last
    return []


def _is_whole(node: Join, place: int) -> bool:
    """Return whether an input is a source whose columns are only set equal to those of others."""
    own = set(node.inputs[place].columns)
    filters = (p for p in node.predicates if used_columns(p) & own)
    return isinstance(node.inputs[place], Scan) and all(
        any(isinstance(one, exp.Column) for one, _ in sides(p)) and not used_columns(p) <= own
        for p in filters
    )


def _before_last(node: Join, deltas: list[Node | None], last: list[int], context: Context) -> Node:
    first = [i for i in range(len(deltas)) if i not in last]
    _, change, left = _of_first(node, deltas, first, context)
    partners = [node.inputs[i] for i in last]
    joined = Join(connected(change, partners, node.predicates), left)
    return Project(joined, passed((*node.columns, WEIGHT)))


def _factored(
    node: Join,
    deltas: list[Node | None],
    first: list[int],
    last: int,
    context: Context,
) -> Node:
    others, change, left = _of_first(node, deltas, first, context)
    big, final = node.inputs[last], deltas[last]
    assert final is not None
    still = [child for i, child in enumerate(node.inputs) if i not in (*first, last)]
    columns = passed((*node.columns, WEIGHT))
    sums = Join(connected(change, [before(big, final), *still], node.predicates), left)
    partners = [*others.inputs, *still]
    met = Join(connected(final, partners, node.predicates), node.predicates)
    return UnionAll((Project(sums, columns), Project(met, columns)), widens=False)


def _of_first(
    node: Join, deltas: list[Node | None], first: list[int], context: Context
) -> tuple[Join, Node, tuple[exp.Expr, ...]]:
    """Return the join of some inputs, its delta, and the predicates that need other inputs too.

    At least one of these inputs changed.
    """
    inputs = tuple(node.inputs[i] for i in first)
    columns = {column for child in inputs for column in child.columns}
    own = tuple(p for p in node.predicates if used_columns(p) <= columns)
    others = Join(inputs, own)
    change = _sum(others, [deltas[i] for i in first], context)
    assert change is not None
    return others, change, tuple(p for p in node.predicates if not used_columns(p) <= columns)
