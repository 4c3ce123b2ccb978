"""Write semi joins as IN, from which Spark infers predicates for the other side of a join.

From `p IN (…)` and `p = l` Spark infers `l IN (…)`. It then filters the other side of the join, and
the input of a GROUP BY below it, to rows that can have a partner. From a semi join it infers
nothing: `InferFiltersFromConstraints` runs before `RewritePredicateSubquery`.

    A ⋉[a = b] B   →   filter(A, a IN (SELECT b FROM B))

Applies to a semi join of a rebuild if

1. it is no anti join;
2. each of its predicates is a plain equality between a column of each input, not a null-safe one;
3. both columns of an equality are sources' own columns of one type: IN and `=` do not compare
   columns of different types alike.

The rows and columns stay the same.

Source: Spark's `InferFiltersFromConstraints` and `RewritePredicateSubquery`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import Filter, Mark, Node, Project, SemiJoin
from dbt.adapters.ivm_spark.analysis.provenance import alike_columns
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts


def with_predicates(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
    """Return the same rows, with IN instead of semi joins by equal columns.

    Args:
        root: the tree of a rebuild.
        sources: facts of all sources, by quoted name.
    """
    numbers = count()

    def changed(node: Node) -> Node:
        below = tuple(changed(child) for child in children(node))
        pairs = _pairs(node, sources) if isinstance(node, SemiJoin) and not node.anti else []
        if not pairs:
            return with_children(node, below)
        rows, among = below
        mark = f"__ivm_among_{next(numbers)}"
        keys = Project(among, passed(inner for _, inner in pairs))
        marked = Mark(rows, keys, mark, tuple(column(outer) for outer, _ in pairs))
        return Project(Filter(marked, column(mark)), passed(node.columns))

    return changed(root)


def _pairs(node: SemiJoin, sources: Mapping[str, SourceFacts]) -> list[tuple[str, str]]:
    """Return the columns that a semi join is by, as (input's, among's).

    It returns none if the semi join has any other predicate.
    """
    pairs = list(alike_columns(node.predicates, node.input, node.among, sources))
    if len(pairs) < len(node.predicates) or any(null_safe for _, _, null_safe in pairs):
        return []
    return [(outer, inner) for outer, inner, _ in pairs]
