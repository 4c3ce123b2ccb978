"""What the form of a delta depends on besides the query: its sources' sizes and types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SourceFacts:
    """What is known of a source: its rows (about), and its columns' types by name in lower case."""

    rows: int
    types: Mapping[str, str]

    @classmethod
    def of(cls, rows: int, columns: Iterable[tuple[str, str]]) -> SourceFacts:
        """columns: (name, Spark type)."""
        return cls(rows, {name.lower(): kind for name, kind in columns})


def rows_of(sources: Mapping[str, SourceFacts]) -> dict[str, int]:
    """The rows of each source, by quoted name."""
    return {name: facts.rows for name, facts in sources.items()}
