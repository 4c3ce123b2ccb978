"""How big the inputs of a join are, from the rows of the sources that they read."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.view.tree import At, Node, Scan
from dbt.adapters.ivm_spark.view.walk import walk


def rows_read(node: Node, rows: Mapping[str, int]) -> int:
    """The rows of the biggest source that a relation reads as it is now, not its changes; 0 where
    no source's are known. rows: by quoted name."""
    scans = (n for n in walk(node) if isinstance(n, Scan) and n.at is At.POST)
    return max((rows.get(scan.relation, 0) for scan in scans), default=0)
