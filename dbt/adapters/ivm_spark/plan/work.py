"""What a delta costs besides the rows that changed: what it reads, and in how many parts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.idioms import is_empty
from dbt.adapters.ivm_spark.algebra.traversal import children, walk
from dbt.adapters.ivm_spark.algebra.tree import At, Node, RuntimeFilter, Scan
from dbt.adapters.ivm_spark.analysis.cardinality import MATERIALIZED
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.common_subplans import Materialized, share_common_subplans
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.merge import computes_again
from dbt.adapters.ivm_spark.state.statement import prepared
from dbt.adapters.ivm_spark.state.write import inserts

NARROWED = 0.3
"""What is read of a table that the ranges of the change's keys narrow: next to nothing where it is
laid out by the keys, all of it where the keys lie anywhere."""
WELL_NARROWED = 0.1
"""The same where the ranges help."""


@dataclass(frozen=True)
class Outlay:
    """met: rows of the sources that a refresh reads besides their changes, each as often as it is
    read; least: those of them that it reads at the least, with ranges that help; kept: relations
    that are computed before the statement; scans: of sources and of change feeds; scattered: rows
    of the state are found by all their columns; adds: none is looked for."""

    met: int = 0
    kept: int = 0
    scans: int = 0
    scattered: bool = False
    adds: bool = False
    least: int = 0


def outlay(
    layout: Layout,
    sources: Mapping[str, SourceFacts],
    changed: Mapping[str, int],
    insert_only: bool = False,
) -> Outlay:
    """The outlay of a refresh.

    sources: of the query, by quoted name; changed: rows of each that moved; insert_only: they only
    gained rows. To compute groups again the change is kept and all sources are read once more.
    """
    rows = rows_of(sources)
    again = bool(changed) and computes_again(layout, insert_only and is_monotone(layout.input))
    met = sum(rows.values()) if again else 0
    change = delta(layout.input, Context(frozenset(changed), sources))
    if change is None:
        return Outlay(met, least=met)
    kept, relation, _ = prepared(change, {n: 2 * r for n, r in changed.items()}, sources, "")
    parts = _parts(kept, relation)
    read, least = (int(sum(_read(p, rows, n) for p in parts)) for n in (NARROWED, WELL_NARROWED))
    scans = sum(map(_scans, parts))
    adds = inserts(layout, insert_only)
    return Outlay(
        met=met + read,
        kept=len(kept) + again,
        scans=scans + again,
        # Where sources only gain rows the view seldom loses any, and then no row is looked for.
        scattered=layout.scattered and not insert_only,
        adds=adds,
        least=met + least,
    )


def operators(change: Node) -> int:
    """How many different operators a delta has."""
    return sum(1 for part in _parts(*share_common_subplans(change)) for _ in walk(part))


def _parts(kept: tuple[Materialized, ...], root: Node) -> list[Node]:
    return [*(k.relation for k in kept), root]


def _scans(node: Node) -> int:
    if isinstance(node, Scan):
        return 0 if node.relation.startswith(MATERIALIZED) else 1
    return 0 if is_empty(node) else sum(map(_scans, children(node)))


def _read(node: Node, rows: Mapping[str, int], narrowed: float) -> float:
    """Rows of sources as they are now; narrowed: what ranges leave of a table."""
    if isinstance(node, Scan):
        return rows.get(node.relation, 0) if node.at is At.POST else 0
    if isinstance(node, RuntimeFilter):
        return narrowed * _read(node.input, rows, narrowed) + _read(node.among, rows, narrowed)
    return sum(_read(child, rows, narrowed) for child in children(node))
