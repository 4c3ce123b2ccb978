"""Where the nodes of a lineage stand: what is read on the left, what reads it on the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean


def places(reads: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Column and row of each node, counted from 0.

    reads: what each node reads, without a cycle. A node stands one column right of the last that
    it reads, in its column near to the rows of these.
    """
    depths: dict[str, int] = {}

    def depth(node: str) -> int:
        if node not in depths:
            below = [depth(other) for other in reads.get(node, ())]
            depths[node] = 1 + max(below) if below else 0
        return depths[node]

    for node in reads:
        depth(node)
    found: dict[str, tuple[int, int]] = {}
    for column in range(max(depths.values(), default=-1) + 1):
        nodes = sorted(node for node, at in depths.items() if at == column)
        nodes.sort(key=lambda node: mean([found[o][1] for o in reads.get(node, ())] or [0]))
        found |= {node: (column, row) for row, node in enumerate(nodes)}
    return found
