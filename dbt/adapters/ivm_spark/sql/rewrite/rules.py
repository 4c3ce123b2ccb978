"""Rewrites the tree as written into the tree that is maintained: one module for each construct.

SQL has constructs of its own for some things that the algebra expresses with joins, unions and
aggregates. The tree as written keeps them, so that the comparison of plans sees the user's own
query. The stored columns and the delta are derived from the rewritten tree. Both trees are the same
relation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbt.adapters.ivm_spark.algebra.pruning import prune
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Filter,
    GroupingSets,
    Lateral,
    Mark,
    Node,
    Pivot,
    ScalarSubquery,
    Unpivot,
    Window,
)
from dbt.adapters.ivm_spark.sql.rewrite.clock import with_clock_apart
from dbt.adapters.ivm_spark.sql.rewrite.filter import rewrite_filter
from dbt.adapters.ivm_spark.sql.rewrite.grouping_sets import rewrite_grouping_sets
from dbt.adapters.ivm_spark.sql.rewrite.lateral import rewrite_lateral
from dbt.adapters.ivm_spark.sql.rewrite.mark import rewrite_mark
from dbt.adapters.ivm_spark.sql.rewrite.pivot import rewrite_pivot, rewrite_unpivot
from dbt.adapters.ivm_spark.sql.rewrite.scalar import rewrite_scalar
from dbt.adapters.ivm_spark.sql.rewrite.window import one_answer

REWRITES: tuple[tuple[type, Callable[[Any], Node]], ...] = (
    (ScalarSubquery, rewrite_scalar),
    (Mark, rewrite_mark),
    (Lateral, rewrite_lateral),
    (Filter, rewrite_filter),
    (Window, one_answer),
    (GroupingSets, rewrite_grouping_sets),
    (Pivot, rewrite_pivot),
    (Unpivot, rewrite_unpivot),
)


def rewritten(root: Node) -> Node:
    """Return the same relation without constructs that only the tree as written has, pruned."""
    return prune(with_clock_apart(_rewritten(root)))


def _rewritten(node: Node) -> Node:
    node = with_children(node, tuple(_rewritten(child) for child in children(node)))
    rule = dict(REWRITES).get(type(node))
    return node if rule is None else rule(node)
