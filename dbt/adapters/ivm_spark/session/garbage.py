"""Lets Python look for garbage less often while dbt runs, and not at all when it ends.

dbt's manifest and the trees of queries are many small objects that refer to each other. Python
looks at all of them again and again while their number grows, and once more when the process ends:
for a project of a dozen models, a second of five. What is no longer needed is freed without that
search, unless objects refer to each other in a circle.

Source: Python's documentation, `gc.set_threshold` and `gc.freeze`.
"""

from __future__ import annotations

import atexit
import gc
import sys

_RARE = (100_000, 20, 100)
"""Objects until the youngest are looked at, and how often that happens until older ones are."""
_COUNTS_ITS_OBJECTS = "_duckdb"
"""A module that reports a leak for each of its objects that is still there at the end."""


def collect_rarely() -> None:
    """Look for garbage rarely from now on, and leave it to the system when the process ends.

    A threshold that the program has set higher, or to 0 (never), stays.
    """
    if 0 < gc.get_threshold()[0] < _RARE[0]:
        gc.set_threshold(*_RARE)
    atexit.register(_keep_objects)


def _keep_objects() -> None:
    if _COUNTS_ITS_OBJECTS not in sys.modules:
        gc.freeze()
