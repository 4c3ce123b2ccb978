"""Match regular expressions against the few rows that join a change, not against a whole table.

Spark evaluates a predicate on one table as soon as it reads the table's rows. That is right for a
comparison. But a regular expression takes longer than the join that would drop most of these rows.
So the pass materializes the join, and the predicate runs on the result.

    filter(Δ ⋈ part, name RLIKE 'x')   →   filter(materialize(Δ ⋈ part), name RLIKE 'x')

Applies to the input of a filter, or of a join with such a predicate, if

1. a predicate over columns of this input alone matches a regular expression (`_is_slow`);
2. the input is about as small as the change (`is_delta_sized`);
3. the biggest source that it reads has at least `MATCHED_ROWS` rows;
4. it is no `Materialize` yet.

The rows, the columns and the predicates stay the same.

Source: Spark's `LikeSimplification`, for the patterns of LIKE that are cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up, children, with_children
from dbt.adapters.ivm_spark.algebra.tree import Filter, Join, Materialize, Node, OuterJoin, SemiJoin
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized, rows_read

MATCHED_ROWS = 2_000_000
"""A table with at least so many rows takes longer to match than one more statement takes."""
_MATCHES = (exp.RegexpLike, exp.RegexpILike, exp.ILike)


def defer_expensive_predicates(root: Node, rows: Mapping[str, int]) -> Node:
    """Return the same tree with inputs of expensive predicates marked as `Materialize`.

    Args:
        root: a delta.
        rows: the rows of each source, by quoted name.
    """
    return bottom_up(root, lambda node: _deferred(node, rows))


def _deferred(node: Node, rows: Mapping[str, int]) -> Node:
    if isinstance(node, Filter):
        return replace(node, input=_materialized(node.input, (node.predicate,), rows))
    if isinstance(node, (Join, OuterJoin, SemiJoin)):
        inputs = tuple(_materialized(child, node.predicates, rows) for child in children(node))
        return with_children(node, inputs)
    return node


def _materialized(node: Node, predicates: tuple[exp.Expr, ...], rows: Mapping[str, int]) -> Node:
    own = (p for p in predicates if used_columns(p) <= set(node.columns))
    if isinstance(node, Materialize) or not any(map(_is_slow, own)):
        return node
    return (
        Materialize(node)
        if is_delta_sized(node) and rows_read(node, rows) >= MATCHED_ROWS
        else node
    )


def _is_slow(predicate: exp.Expr) -> bool:
    """Return whether a predicate matches a regular expression.

    A LIKE does unless Spark compares the beginning, the end or the middle of the text instead
    (Spark's `LikeSimplification`).
    """
    if predicate.find(*_MATCHES) is not None:
        return True
    return any(not _is_simple(like.expression) for like in predicate.find_all(exp.Like))


def _is_simple(pattern: exp.Expr) -> bool:
    if not isinstance(pattern, exp.Literal):
        return False
    text = pattern.name
    return "_" not in text and "%" not in (text.strip("%") if text.count("%") > 1 else "")
