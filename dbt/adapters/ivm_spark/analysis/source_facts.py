"""What the form of a delta depends on besides the query: its sources' sizes and types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_ALIKE = re.compile(r"\b(float|double|map|variant|void|collate|char)\b")
"""In types: values that GROUP BY may take for one though a view can tell them apart, as 0.0 and
-0.0, or of which it makes no groups."""


@dataclass(frozen=True)
class SourceFacts:
    """What is known of a source: its rows (about), and its columns' types by name in lower case."""

    rows: int
    types: Mapping[str, str]

    @classmethod
    def of(cls, rows: int, columns: Iterable[tuple[str, str]]) -> SourceFacts:
        """columns: (name, Spark type)."""
        return cls(rows, {name.lower(): kind for name, kind in columns})

    def tells_apart(self, columns: Iterable[str]) -> bool:
        """Whether rows of these columns are equal for GROUP BY only where a view can't tell them
        apart, for certain."""
        types = (self.types.get(name.lower()) for name in columns)
        return all(kind is not None and not _ALIKE.search(kind) for kind in types)


def rows_of(sources: Mapping[str, SourceFacts]) -> dict[str, int]:
    """The rows of each source, by quoted name."""
    return {name: facts.rows for name, facts in sources.items()}
