"""Finds the ivm models that would be refreshed for a change of another model. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MANY_READERS = 3
"""Models of a run that read a source, from which on they share the rows of its feed. The rows are
stored with all of their columns, which takes about as long as reading some of them once or twice.
"""
_SEEN_THROUGH = ("view", "ephemeral")
"""Materializations whose readers also count as readers of their parents."""


def readers(nodes: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the ivm models that read each node or source, directly or through views.

    All are by unique id. `nodes` is dbt's `graph.nodes`.
    """
    below: dict[str, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        for parent in node.get("depends_on", {}).get("nodes", ()):
            below[parent].append(name)

    def found(name: str) -> Iterator[str]:
        for child in below.get(name, ()):
            kind = nodes[child].get("config", {}).get("materialized")
            if kind == "ivm":
                yield child
            elif kind in _SEEN_THROUGH:
                yield from found(child)

    return {name: list(dict.fromkeys(found(name))) for name in list(below)}


def read_by_many(readers: Mapping[str, Sequence[str]], selected: Sequence[str]) -> list[str]:
    """Return the nodes and sources that many ivm models of a run read, by unique id.

    Args:
        readers: the ivm models that read each, by unique id.
        selected: the unique ids of the run's nodes.
    """
    of_run = set(selected)
    return [name for name, ids in readers.items() if len(of_run.intersection(ids)) >= MANY_READERS]
