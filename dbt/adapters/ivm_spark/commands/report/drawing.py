"""Figures as SVG in the page's colours.

A browser draws what is in INK in the colour of the page's text, light or dark.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#010203"
"""A colour that nothing else uses; it becomes `currentColor`."""
FAINT = "#8a8f98"
GAINED, CHANGED, LOST = "#3a9d6a", "#3b82c4", "#d9663d"
"""Readable on white and on nearly black."""
SERIES = (LOST, CHANGED, GAINED, "#a86cc1", "#b8860b", FAINT)
"""Colours for things that have no colour of their own."""
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
    """Return the settings under which the figure of that name is made and written.

    Each name has its own ids, because all figures are on one page.
    """
    return mpl.rc_context({**_STYLE, "svg.hashsalt": name})


def svg(figure: Figure, label: str) -> str:
    """Return a figure as an <svg> element.

    label: what it shows, for those who can't see it.
    """
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Title": label})
    found = text.getvalue()
    return (
        found[found.index("<svg") :]
        .replace(INK, "currentColor")
        .replace("<svg ", '<svg role="img" ', 1)
    )


def bare_axes(figure: Figure) -> Axes:
    """Return axes over the whole figure, without a frame."""
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    return axes
