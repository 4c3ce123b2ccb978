"""The scans of sources that a refresh plans once for all of its statements. Pure.

See `dbt.adapters.ivm_spark.session.pinned_scan` for what that saves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.catalog import RelationKind, quote
from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import At, Node, Scan
from dbt.adapters.ivm_spark.analysis.restricted_columns import restricted_columns
from dbt.adapters.ivm_spark.physical.file_pruning import FileKeys
from dbt.adapters.ivm_spark.physical.lower import Statements
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.source.binding import Versions

Pin = Callable[[str, str, int, FileKeys | None, Set[str]], bool]
"""Makes a temporary view of a table's rows, or of those in the files that may have some keys: the
view's name, the table's and its version, the keys, the columns that conditions of the
readers restrict. Returns whether that was done."""


def pinned_scans(found: Findings, decision: Decision, pin: Pin, token: str) -> dict[str, str]:
    """Return the views to read in place of sources at their heads, by the sources' quoted names.

    Args:
        found: the findings about the view and its sources, at the versions to refresh to.
        decision: how to refresh.
        pin: makes a view.
        token: makes the names of the views unique to this refresh.
    """
    views, trees = dict[str, str](), tuple(_trees(found, decision))
    names = sorted(set(_tables(trees)))
    restricted = restricted_columns(trees) if names else {}
    for number, name in enumerate(names):
        head, view = found.heads.get(name), f"ivm_scan_{number}_{token}"
        if head is None or head.kind is not RelationKind.DELTA:
            continue
        if pin(view, name, head.version, None, restricted[name]):
            views[name] = quote(view)
    return views


def pruned(statements: Statements, versions: Versions, pin: Pin, token: str) -> Statements:
    """Return statements that read only the files that the answers leave of big sources.

    Args:
        statements: with some answers.
        versions: at which they read sources.
        pin: makes a view.
        token: makes the names of the views unique to this refresh.
    """
    views, prunes = dict(statements.views), statements.prunes
    restricted = restricted_columns(statements.trees) if prunes else {}
    for scan, answer in prunes.items():
        name, version = f"ivm_files_{len(views)}_{token}", versions.pinned.get(scan.relation)
        views[scan] = None
        if version is not None:
            keys = FileKeys.of(scan, answer)
            if keys is not None and pin(
                name, scan.relation, version, keys, restricted[scan.relation]
            ):
                views[scan] = quote(name)
    return replace(statements, views=views)


def _trees(found: Findings, decision: Decision) -> Iterable[Node]:
    """Return the trees whose scans the refresh sends."""
    if found.layout is None:
        return ()
    if decision.build:
        return (found.layout.input,)
    if found.derivation is None or decision.changes_nothing:
        return ()
    return (found.derivation.over(decision.moved),)


def _tables(trees: Iterable[Node]) -> Iterator[str]:
    for tree in trees:
        for node in nodes(tree):
            if isinstance(node, Scan) and node.at is At.POST:
                yield node.relation
