"""What a delta is derived for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts


@dataclass(frozen=True)
class Context:
    """The sources (quoted names) that moved since the recorded versions, and what is known of all
    of them: the form of a delta depends on it, its meaning does not."""

    moved: frozenset[str]
    sources: Mapping[str, SourceFacts] = field(default_factory=dict)


Derive = Callable[[Node], "Node | None"]
"""The delta of a node below, None when it can't have changed."""
