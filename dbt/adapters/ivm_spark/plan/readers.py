"""The ivm models below a view, and what they save if it changes by few rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.state.rewrite import MOST_ROWS
from dbt.adapters.ivm_spark.watermark.cost_model import REWRITTEN, CostModel
from dbt.adapters.ivm_spark.watermark.history import since_last_refresh
from dbt.adapters.ivm_spark.watermark.watermark import newest

LEVELS = 4
"""How far below a view its readers count."""
HOPED = 0.7
"""The share of the direct readers' possible savings that counts; of the readers of those, the
share of the share, and so on. Each of them may be rebuilt for another of its sources."""
_MOST = 12
"""Readers whose histories are looked at."""
_SEEN_THROUGH = ("view", "ephemeral")
"""Materializations whose readers also count as readers of their parents."""


def readers(nodes: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the ivm models below each node by unique id, level by level.

    The first level reads the node, directly or through views, the second one reads the first, and
    so on. A model counts on its first level only. Pure.

    `nodes` is dbt's `graph.nodes`.
    """
    below: dict[str, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        for parent in node.get("depends_on", {}).get("nodes", ()):
            below[parent].append(name)

    def direct(name: str) -> Iterator[str]:
        for child in below.get(name, ()):
            kind = nodes[child].get("config", {}).get("materialized")
            if kind == "ivm":
                yield child
            elif kind in _SEEN_THROUGH:
                yield from direct(child)

    first = {name: list(dict.fromkeys(direct(name))) for name in nodes if name in below}

    def levels(name: str) -> list[list[str]]:
        found: list[list[str]] = []
        seen, level = {name}, first[name]
        while level and len(found) < LEVELS:
            found.append(level)
            seen.update(level)
            after = (child for reader in level for child in first.get(reader, ()))
            level = [child for child in dict.fromkeys(after) if child not in seen]
        return found

    return {name: levels(name) for name in first}


def gain(reader: SourceReader, levels: Sequence[Sequence[str]]) -> float:
    """Return the seconds that the readers of a view save if it changes by few rows.

    A rebuilt view changes by all of its rows, so its readers are rebuilt too.

    Args:
        reader: reads histories.
        levels: the quoted names of the readers' states, level by level.
    """
    total, left, share = 0.0, _MOST, HOPED
    for level in levels:
        total += share * saved(cost_models(reader, level[:left]))
        left, share = left - len(level), share * HOPED
        if left <= 0:
            break
    return total


def saved(models: Iterable[CostModel]) -> float:
    """Return the seconds that an incremental refresh of few rows takes less than rebuilds."""
    return sum(max(0.0, one.full_seconds - _least(one)) for one in models if one.full_seconds)


def cost_models(reader: SourceReader, states: Sequence[str]) -> list[CostModel]:
    """Return the cost models of the views with these states, by quoted names.

    Views that are not built yet have none, and neither have those that are never maintained.
    """
    found = []
    for state in states:
        with suppress(DbtDatabaseError):
            history = newest(since_last_refresh(reader, state))
            watermark = history.watermark
            if watermark is not None and watermark.unsupported_reason is None:
                found.append(history.cost_model)
    return found


def _least(cost_model: CostModel) -> float:
    """Return the least seconds of an incremental refresh."""
    rewrites = cost_model.state_rows <= MOST_ROWS
    return cost_model.fixed * (REWRITTEN if rewrites else 1.0)
