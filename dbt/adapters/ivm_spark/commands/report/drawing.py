"""Figures as SVG that takes the page's colours: what is drawn in INK is drawn in the text's colour,
light or dark."""

from __future__ import annotations

from contextlib import AbstractContextManager
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#010203"
"""A colour that nothing else has; it becomes `currentColor`."""
FAINT = "#8a8f98"
GAINED, CHANGED, LOST = "#3a9d6a", "#3b82c4", "#d9663d"
"""Readable on white and on nearly black."""
_STYLE: dict[Any, Any] = {
    "text.parse_math": False,
    "timezone": "UTC",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.frameon": False,
    "legend.labelcolor": INK,
}


def style(name: str) -> AbstractContextManager[None]:
    """The settings under which a figure of that name is made and written; each name has its own
    ids, since all figures stand on one page."""
    return mpl.rc_context({**_STYLE, "svg.hashsalt": name})


def svg(figure: Figure, label: str) -> str:
    """A figure as an <svg> element; label: what it shows, for those who can't see it."""
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Title": label})
    found = text.getvalue()
    return (
        found[found.index("<svg") :]
        .replace(INK, "currentColor")
        .replace("<svg ", '<svg role="img" ', 1)
    )


def bare_axes(figure: Figure) -> Axes:
    """Axes over the whole figure, without a frame."""
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    return axes
