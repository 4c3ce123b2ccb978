"""A table of texts, and how it shows numbers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

NOTHING = "-"


@dataclass(frozen=True)
class Table:
    """Rows of texts under a header; the first column is text, the others are numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def plain(self) -> str:
        """Return the table for a terminal."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.header))]
        aligned = ["  ".join(_aligned(line, widths)).rstrip() for line in lines]
        return "\n".join([self.title, *aligned])

    def markdown(self) -> str:
        """Return the table in Markdown."""
        rule = ["---", *("---:" for _ in self.header[1:])]
        lines = [self.header, rule, *self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"**{self.title}**\n\n{table}"


def number(value: Any, digits: int = 2) -> str:
    """Return a number with commas; a whole number has no decimals, None is a dash."""
    if value is None:
        return NOTHING
    return f"{value:,.{0 if float(value).is_integer() else digits}f}"


def percent(fraction: float) -> str:
    """Return a fraction in percent: 0.001 is `0.1 %`."""
    return f"{fraction * 100:.4g} %"


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *others = zip(line, widths, strict=True)
    return [first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]
