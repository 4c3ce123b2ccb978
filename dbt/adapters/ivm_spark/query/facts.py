"""What Spark says of a query, once it was asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """What Spark says of a query: (name, type) of its outputs, types of the probe's columns."""

    outputs: tuple[tuple[str, str], ...]
    types: dict[str, str]
