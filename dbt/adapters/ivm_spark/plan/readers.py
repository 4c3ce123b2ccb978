"""Finds the ivm models that would be refreshed for a change of another model. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

_SEEN_THROUGH = ("view", "ephemeral")
"""Materializations whose readers also count as readers of their parents."""


def readers(nodes: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the ivm models that read each node, directly or through views, by unique id.

    `nodes` is dbt's `graph.nodes`.
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

    return {name: list(dict.fromkeys(found(name))) for name in nodes if name in below}
