"""What the form of a delta depends on besides the query: its sources' sizes and types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_ALIKE = re.compile(r"\b(float|double|map|variant|void|collate|char)\b")
"""Types whose values a view can tell apart though GROUP BY may not, such as 0.0 and -0.0. Some
of them cannot be grouped at all."""


@dataclass(frozen=True)
class SourceFacts:
    """What is known of a source.

    Attributes:
        rows: about how many it has.
        types: of its columns, by name in lower case.
    """

    rows: int
    types: Mapping[str, str]

    @classmethod
    def of(cls, rows: int, columns: Iterable[tuple[str, str]]) -> SourceFacts:
        """Return the facts of a source.

        Args:
            rows: about how many it has.
            columns: (name, Spark type) of each column.
        """
        return cls(rows, {name.lower(): kind for name, kind in columns})

    def typed(self, columns: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Return (name in lower case, Spark type) of these columns, each once, by their names."""
        names = sorted({name.lower() for name in columns})
        return tuple((name, self.types[name]) for name in names)

    def tells_apart(self, columns: Iterable[str]) -> bool:
        """Return whether GROUP BY certainly tells rows of these columns apart if a view can."""
        types = (self.types.get(name.lower()) for name in columns)
        return all(kind is not None and looks_alike(kind) for kind in types)


def looks_alike(kind: str) -> bool:
    """Return whether equal values of a type are certainly the same to any view."""
    return not _ALIKE.search(kind)


def rows_of(sources: Mapping[str, SourceFacts]) -> dict[str, int]:
    """Return the rows of each source, by quoted name."""
    return {name: facts.rows for name, facts in sources.items()}
