"""Durations, sizes and names in the form that people read."""

from __future__ import annotations

_STEPS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


def duration(seconds: float) -> str:
    """Return a duration in the largest unit of which it has at least two, as in `36 h`."""
    for size, unit in _STEPS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def size(count: int) -> str:
    """Return bytes in the unit that needs the fewest digits."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def number(count: int, what: str) -> str:
    """Return a number with its noun: `1 file`, `2 files`."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def bare(name: str) -> str:
    """Return a quoted name without quotes, for reading only."""
    return name.replace("`", "")
