"""Materialize a join of the change before it joins a big table, so that Spark knows its size.

A change joined with a table is about as small as the change. Spark estimates it to be as large as
the table. It would sort and shuffle the next, bigger table to join it with a few hundred rows. So
the pass cuts the join before a big table. Spark joins the materialized part by its actual size, and
its keys tell which part of the big table matters (`runtime_filters`).

    Δ ⋈ small ⋈ big   →   materialize(Δ ⋈ small) ⋈ big

Applies before each input of a join, from the second on, if

1. the first input of the join is about as small as the change (`is_delta_sized`);
2. the biggest source that the next input reads has at least `STAGE_ROWS` rows;
3. the changes do not bound the part before it (`bound`): a bounded part has a known size already.

The rows and columns stay the same. Each predicate runs as soon as the part before the cut has its
columns.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import passed, used_columns
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up
from dbt.adapters.ivm_spark.algebra.tree import Filter, Join, Materialize, Node, Project
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized, rows_read
from dbt.adapters.ivm_spark.physical.broadcast import Bounds

STAGE_ROWS = 1_000_000
"""A table with at least so many rows takes longer to shuffle than one more statement takes."""


def materialize_before_big_tables(root: Node, bounds: Bounds, rows: Mapping[str, int]) -> Node:
    """Return the same tree with parts of joins before big tables marked as `Materialize`.

    Args:
        root: a delta.
        bounds: of the changes.
        rows: the rows of each source, by quoted name.
    """
    return bottom_up(root, lambda node: _staged(node, bounds, rows))


def _staged(node: Node, bounds: Bounds, rows: Mapping[str, int]) -> Node:
    if not isinstance(node, Join) or not is_delta_sized(node.inputs[0]):
        return node
    inputs, predicates = list(node.inputs), list(node.predicates)
    place = 1
    while place < len(inputs):
        before = _joined(inputs[:place], predicates)
        if rows_read(inputs[place], rows) < STAGE_ROWS or bounds.of(before) is not None:
            place += 1
            continue
        predicates = [p for p in predicates if not used_columns(p) <= set(before.columns)]
        inputs = [
            before if isinstance(before, Materialize) else Materialize(before),
            *inputs[place:],
        ]
        place = 2
    if len(inputs) == len(node.inputs) and inputs[0] is node.inputs[0]:
        return node
    return Project(Join(tuple(inputs), tuple(predicates)), passed(node.columns))


def _joined(inputs: list[Node], predicates: list[exp.Expr]) -> Node:
    columns = {column for node in inputs for column in node.columns}
    own = tuple(p for p in predicates if used_columns(p) <= columns)
    if len(inputs) > 1:
        return Join(tuple(inputs), own)
    return Filter(inputs[0], exp.and_(*own)) if own else inputs[0]
