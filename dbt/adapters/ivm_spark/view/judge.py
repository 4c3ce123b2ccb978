"""Spark is the judge of what a query says: the tree, written back, must have the plan of the text.

Compares the optimized logical plans that EXPLAIN EXTENDED prints for the two, after taking out
what can't change a result: expression ids, hints, aliases of a column to itself, and names.
"""

from __future__ import annotations

import re

_SECTION = re.compile(r"== Optimized Logical Plan ==\n(.*?)\n== Physical Plan ==", re.DOTALL)
_ID = re.compile(r"([A-Za-z_`][^\s,()\[\]#`]*|`[^`]+`)?#(\d+)L?")


def same_plan(explained: str, rewritten: str) -> bool:
    """True when both EXPLAIN EXTENDED outputs show one and the same optimized plan."""
    ours, theirs = normalized_plan(rewritten), normalized_plan(explained)
    return ours is not None and ours == theirs


def normalized_plan(explained: str) -> str | None:
    """The optimized plan with columns numbered in order of appearance; None if there is none."""
    found = _SECTION.search(explained)
    if found is None:
        return None
    text = re.sub(r", (left|right)Hint=\([^)]*\)", "", found.group(1))
    numbers: dict[str, str] = {}
    lines = [_number(line, numbers) for line in reversed(text.splitlines())]
    return "\n".join(line for line in reversed(lines) if line)


def _number(line: str, numbers: dict[str, str]) -> str:
    """Columns by number, from the leaves up, so that a scan's columns name the rest."""

    def swap(match: re.Match[str]) -> str:
        return numbers.setdefault(match.group(2), f"#{len(numbers)}")

    numbered = _ID.sub(swap, line)
    return re.sub(r"(#\d+) AS \1", r"\1", numbered)
