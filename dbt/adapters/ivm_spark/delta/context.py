"""What the delta rules know besides the tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts


@dataclass(frozen=True)
class Context:
    """The sources that moved, and facts of all sources.

    The form of a delta depends on the facts, its meaning does not.

    Attributes:
        moved: quoted names of the sources that moved since the versions in the watermark.
        sources: facts of all sources, by quoted name.
    """

    moved: frozenset[str]
    sources: Mapping[str, SourceFacts] = field(default_factory=dict)


Derive = Callable[[Node], "Node | None"]
"""Returns the delta of a node below, None if it cannot have changed."""
