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
from pathlib import Path

_RARE = (100_000, 20, 100)
"""Objects until the youngest are looked at, and how often that happens until older ones are."""
_COUNTS_ITS_OBJECTS = "_duckdb"
"""A module that reports a leak for each of its objects that is still there at the end."""
_before: list[tuple[int, int, int]] = []


def collect_rarely() -> None:
    """Look for garbage rarely until `collect_as_before`.

    A threshold that the program has set higher, or to 0 (never), stays. If the program is dbt
    itself, garbage is left to the system when it ends.
    """
    if not _before and 0 < gc.get_threshold()[0] < _RARE[0]:
        _before.append(gc.get_threshold())
        gc.set_threshold(*_RARE)
    if Path(sys.argv[0]).stem == "dbt":
        atexit.unregister(_keep_objects)
        atexit.register(_keep_objects)


def collect_as_before() -> None:
    """Look for garbage as often as before `collect_rarely`."""
    while _before:
        gc.set_threshold(*_before.pop())


def free_java_objects() -> None:
    """Free the objects of the JVM that Python has dropped lately.

    Py4J's objects refer to themselves, so only a search frees them, and with them the rows that
    they hold in the JVM. It looks at the youngest objects alone.
    """
    gc.collect(0)


def _keep_objects() -> None:
    if _COUNTS_ITS_OBJECTS not in sys.modules:
        gc.freeze()
