"""The page of all results, in Markdown. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.report.layers import overview
from benchmarks.report.tables import tables
from benchmarks.report.text import conditions_text, sentences
from benchmarks.results import Result

HEAD = """# Benchmarks

`make bench-report` writes this page from the figures in `benchmarks/results`.
[benchmarks/README.md](../benchmarks/README.md) says what is measured and how. Compare ratios, not
seconds, with other machines: each ratio is of two refreshes that ran one after the other in one
process.
"""


def page(results: Sequence[Result], plots: Sequence[tuple[str, str]]) -> str:
    """Return the whole page; plots are pairs of a caption and a path relative to the page."""
    parts = [HEAD, *(f"## {caption}\n\n![{caption}]({path})\n" for caption, path in plots)]
    in_layers = sorted((r for r in results if r.suite == "layers"), key=lambda r: r.scale)
    if in_layers:
        parts += ["## layers\n", overview(in_layers).markdown() + "\n"]
    for result in (*in_layers, *(r for r in results if r.suite != "layers")):
        parts.append(f"## {result.suite}, {_size(result)}\n")
        parts.append("\n".join(f"- {line.strip()}" for line in sentences(result)) + "\n")
        parts += [table.markdown() + "\n" for table in tables(result)]
        parts.append(conditions_text(result) + "\n")
    return "\n".join(parts)


def _size(result: Result) -> str:
    if result.suite == "layers":
        return f"{result.scale:,.0f} rows"
    near = ", neighbours changed" if result.conditions.get("near") else ""
    worn = ", many files with deletion vectors" if result.conditions.get("worn") else ""
    return f"scale factor {result.scale:g}{near}{worn}"
