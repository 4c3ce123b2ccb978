"""What is computed before a delta meets a big table, so that its size is known by then.

A change joined to a table is about as small as the change, but Spark takes it for as large as the
table; the next, bigger table would be sorted and shuffled to meet a few hundred rows. So a
join of the change stops before a big table: what there is by then is computed, and Spark joins it
by what it found; its keys tell which part of the big table matters.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import passed, used_columns
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import Filter, Join, Materialize, Node, Project
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized, rows_read
from dbt.adapters.ivm_spark.physical.broadcast import bound

STAGE_ROWS = 2_000_000
"""Rows of a table from which on to shuffle it takes longer than one more statement."""


def materialize_before_big_tables(
    root: Node, changed: Mapping[str, int], rows: Mapping[str, int]
) -> Node:
    """The same tree with what is to be known before it meets a big table marked as `Materialize`.

    changed: rows that changed of each source that moved, an upper bound; rows: of each source.
    """
    node = with_children(
        root, tuple(materialize_before_big_tables(child, changed, rows) for child in children(root))
    )
    if not isinstance(node, Join) or not is_delta_sized(node.inputs[0]):
        return node
    inputs, predicates = list(node.inputs), list(node.predicates)
    place = 1
    while place < len(inputs):
        before = _joined(inputs[:place], predicates)
        if rows_read(inputs[place], rows) < STAGE_ROWS or bound(before, changed) is not None:
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
