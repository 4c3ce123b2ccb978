"""The page of all results, in Markdown. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.report.tables import tables
from benchmarks.report.text import conditions_text, sentences
from benchmarks.results import Result

HEAD = """# Benchmarks

Written by `make bench-report` from the figures in `benchmarks/results`; what is measured, and how,
says [benchmarks/README.md](../benchmarks/README.md). Ratios travel, seconds don't: each ratio is of
two refreshes that ran one after the other in one process.
"""


def page(results: Sequence[Result], plots: Sequence[tuple[str, str]]) -> str:
    """The whole page; plots are pairs of a caption and a path from the page."""
    parts = [HEAD, *(f"## {caption}\n\n![{caption}]({path})\n" for caption, path in plots)]
    for result in results:
        near = ", neighbours change" if result.conditions.get("near") else ""
        parts.append(f"## {result.suite}, scale factor {result.scale:g}{near}\n")
        parts.append("\n".join(f"- {line.strip()}" for line in sentences(result)) + "\n")
        parts += [table.markdown() + "\n" for table in tables(result)]
        parts.append(conditions_text(result) + "\n")
    return "\n".join(parts)
