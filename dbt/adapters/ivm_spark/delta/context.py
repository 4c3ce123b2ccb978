"""What a delta is derived for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ivm_spark.view.tree import Node


@dataclass(frozen=True)
class Context:
    """The sources (quoted names) that moved since the recorded versions."""

    moved: frozenset[str]


Derive = Callable[[Node], "Node | None"]
"""The delta of a node below, None when it can't have changed."""
