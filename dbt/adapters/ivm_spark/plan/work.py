"""The work of a delta besides the changed rows: what it reads, and in how many parts. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.algebra.materialized import Materialized
from dbt.adapters.ivm_spark.algebra.traversal import children
from dbt.adapters.ivm_spark.algebra.tree import At, Empty, Node, RuntimeFilter, Scan
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.physical.common_subplans import share_common_subplans
from dbt.adapters.ivm_spark.physical.lower import Known, optimized
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.merge import computes_again
from dbt.adapters.ivm_spark.state.write import inserts
from dbt.adapters.ivm_spark.watermark.cost_model import Work

NARROWED = 0.3
"""The estimated fraction of a table that a refresh reads through a runtime filter. It reads next to
nothing if the table is laid out by the keys, and all of it if the keys lie anywhere."""
WELL_NARROWED = 0.1
"""The same if the ranges help."""


def work_of(
    layout: Layout,
    delta: Node | None,
    sources: Mapping[str, SourceFacts],
    changed: Mapping[str, int],
    insert_only: bool = False,
) -> Work:
    """Return the work of a refresh; the caller adds the rows of all sources.

    Args:
        layout: the layout of the state.
        delta: the delta of `layout.input`, None if nothing moved.
        sources: the facts of the query's sources, by quoted name.
        changed: the changed rows of each source that moved.
        insert_only: these sources only gained rows.

    To compute groups again, a refresh materializes the change and reads all sources once more.
    """
    rows = rows_of(sources)
    changes = bool(changed) or not (delta is None or isinstance(delta, Empty))
    again = changes and computes_again(layout, insert_only and is_monotone(layout.input))
    total, met = sum(changed.values()), sum(rows.values()) if again else 0
    if delta is None or isinstance(delta, Empty):
        return Work(changed=total, met=met, least=met)
    known = Known({name: 2 * count for name, count in changed.items()}, sources)
    parts = _parts(*optimized(delta, known))
    read, least = (int(sum(_read(p, rows, n) for p in parts)) for n in (NARROWED, WELL_NARROWED))
    return Work(
        changed=total,
        met=met + read,
        materialized=len(parts) - 1 + again,
        scans=sum(map(_scans, parts)) + again,
        # If sources only gain rows, the view seldom loses any, and then the refresh looks for no
        # row.
        scattered=layout.scattered and not insert_only,
        adds=inserts(layout, insert_only),
        least=met + least,
    )


def operators(change: Node) -> int:
    """Return how many operators the statements of a delta have, repetitions included.

    What a statement would repeat of the change is materialized and counts once.
    """
    counts: dict[int, int] = {}

    def count(node: Node) -> int:
        if id(node) not in counts:
            counts[id(node)] = 1 + sum(map(count, children(node)))
        return counts[id(node)]

    parts = _parts(*share_common_subplans(change))
    return sum(map(count, parts))


def _parts(materialized: tuple[Materialized, ...], root: Node) -> list[Node]:
    return [*(k.relation for k in materialized), root]


def _scans(node: Node) -> int:
    if isinstance(node, Scan):
        return 0 if node.at is At.TEMPORARY else 1
    return 0 if isinstance(node, Empty) else sum(map(_scans, children(node)))


def _read(node: Node, rows: Mapping[str, int], narrowed: float) -> float:
    """Return the rows to read of sources as they are now.

    `narrowed` is the fraction that ranges leave of a table.
    """
    if isinstance(node, Scan):
        return rows.get(node.relation, 0) if node.at is At.POST else 0
    if isinstance(node, RuntimeFilter):
        return narrowed * _read(node.input, rows, narrowed) + _read(node.among, rows, narrowed)
    return sum(_read(child, rows, narrowed) for child in children(node))
