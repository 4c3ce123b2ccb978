"""Lets Python look for garbage less often while a query is planned.

The tree of a query is many small objects that refer to each other, and Python looks at all of them
again and again while their number grows: for a model of 300 operators, a third of the time of its
plan. Source: Python's documentation, `gc.set_threshold`.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_RARE = (100_000, 20, 100)
"""Objects until the youngest are looked at, and how often that happens until older ones are."""
_lock = Lock()
_before: list[tuple[int, int, int]] = []


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage rarely while the block runs, in this or in another thread.

    A threshold that the program has set higher, or to 0 (never), stays.
    """
    with _lock:
        _before.append(_before[-1] if _before else gc.get_threshold())
        if 0 < _before[-1][0] < _RARE[0]:
            gc.set_threshold(*_RARE)
    try:
        yield
    finally:
        with _lock:
            before = _before.pop()
            if not _before:
                gc.set_threshold(*before)
