"""The layout of a lineage: each node stands to the right of the nodes that it reads.

A line that passes over columns has its own place in each of them, so that it crosses no node.

Source: Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system
structures", IEEE Transactions on Systems, Man, and Cybernetics, 1981.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

Place = tuple[int, int]


@dataclass(frozen=True)
class Lineage:
    """The places of a lineage.

    Attributes:
        nodes: column and row of each node, counted from 0.
        lines: the places of each line, from the node that is read to the node that reads it.
    """

    nodes: dict[str, Place]
    lines: tuple[tuple[Place, ...], ...]


def lineage_of(reads: Mapping[str, Sequence[str]]) -> Lineage:
    """Return the places of a lineage without a cycle.

    A node stands one column to the right of the rightmost node that it reads. In its column, it
    stands near the rows of the nodes that it reads.

    reads: what each node reads.
    """
    depths: dict[str, int] = {}

    def depth(node: str) -> int:
        if node not in depths:
            below = [depth(other) for other in reads.get(node, ())]
            depths[node] = 1 + max(below) if below else 0
        return depths[node]

    for node in reads:
        depth(node)
    lines = [
        [(other, node, at) for at in range(depths[other], depths[node] + 1)]
        for node in reads
        for other in reads[node]
    ]
    rows: dict[tuple[str, str, int], int] = {(n, n, at): 0 for n, at in depths.items()}
    before: dict[tuple[str, str, int], list[tuple[str, str, int]]] = {spot: [] for spot in rows}
    paths = []
    for line in lines:
        (one, other, _), (_, _, last) = line[0], line[-1]
        path = [(one, one, depths[one]), *line[1:-1], (other, other, last)]
        paths.append(path)
        for left, right in pairwise(path):
            before.setdefault(right, []).append(left)
    for column in range(max(depths.values(), default=-1) + 1):
        spots = sorted(spot for spot in before if spot[2] == column)
        spots.sort(key=lambda spot: mean([rows[left] for left in before[spot]] or [0]))
        rows |= {spot: row for row, spot in enumerate(spots)}
    return Lineage(
        {node: (at, rows[(node, node, at)]) for node, at in depths.items()},
        tuple(tuple((spot[2], rows[spot]) for spot in path) for path in paths),
    )
