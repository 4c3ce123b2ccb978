"""Regular expressions are matched where the change has left few rows, not on all of a table's.

Spark evaluates a condition on one table as soon as it reads the table's rows. That is right for a
comparison, but a regular expression takes longer than the join by which most rows would be gone.
What is asked of the rows that a change meets is therefore asked of them when they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import Filter, Join, Materialize, Node, OuterJoin, SemiJoin
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized, rows_read

MATCHED_ROWS = 2_000_000
"""Rows of a table from which on to match them all takes longer than one more statement."""
_MATCHES = (exp.RegexpLike, exp.RegexpILike, exp.ILike)


def defer_expensive_predicates(root: Node, rows: Mapping[str, int]) -> Node:
    """The same tree with what meets a change in a big table marked as `Materialize` where a regular
    expression is matched against it.

    rows: of each source, by quoted name.
    """
    node = with_children(
        root, tuple(defer_expensive_predicates(child, rows) for child in children(root))
    )
    if isinstance(node, Filter):
        return replace(node, input=_kept(node.input, (node.predicate,), rows))
    if isinstance(node, (Join, OuterJoin, SemiJoin)):
        kept = tuple(_kept(child, node.predicates, rows) for child in children(node))
        return with_children(node, kept)
    return node


def _kept(node: Node, predicates: tuple[exp.Expr, ...], rows: Mapping[str, int]) -> Node:
    own = (p for p in predicates if used_columns(p) <= set(node.columns))
    if isinstance(node, Materialize) or not any(map(_is_slow, own)):
        return node
    return (
        Materialize(node)
        if is_delta_sized(node) and rows_read(node, rows) >= MATCHED_ROWS
        else node
    )


def _is_slow(predicate: exp.Expr) -> bool:
    """Whether a condition matches a regular expression. Of LIKE those are none of which Spark makes
    a comparison of the text's beginning, end or middle (Spark's `LikeSimplification`)."""
    if predicate.find(*_MATCHES) is not None:
        return True
    return any(not _is_simple(like.expression) for like in predicate.find_all(exp.Like))


def _is_simple(pattern: exp.Expr) -> bool:
    if not isinstance(pattern, exp.Literal):
        return False
    text = pattern.name
    return "_" not in text and "%" not in (text.strip("%") if text.count("%") > 1 else "")
