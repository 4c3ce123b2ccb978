"""Semi joins as the IN that Spark draws conclusions from.

From `p IN (...)` and `p = l` Spark infers `l IN (...)`, and so leaves out of the other side of a
join, and of what is grouped below it, what can't have a partner. From a semi join it infers nothing
(Spark's `InferFiltersFromConstraints` runs before `RewritePredicateSubquery`).
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
    """The same rows, with IN in the place of semi joins by nothing but equal columns.

    sources: by quoted name. Only columns of sources that have one type, since IN and `=` do not
    compare columns of different types alike.
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
    """The columns that a semi join is by, the input's first; none if it is by anything else."""
    pairs = list(alike_columns(node.predicates, node.input, node.among, sources))
    if len(pairs) < len(node.predicates) or any(null_safe for _, _, null_safe in pairs):
        return []
    return [(outer, inner) for outer, inner, _ in pairs]
