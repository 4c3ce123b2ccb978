"""Says what a long refresh is doing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AFTER = 10.0
"""Seconds of a refresh before it says what it is doing, and until it says so again."""


class Progress:
    """Says the phase of a refresh that takes long; a short one says nothing.

    Args:
        say: takes the phase and the seconds since the start.
        after: seconds before the first message, and between two.
    """

    def __init__(self, say: Callable[[str, float], None], after: float = AFTER) -> None:
        self._say = say
        self._after = after
        self._began = time.monotonic()
        self._next = self._began + after

    def say(self, what: str) -> None:
        """Say something at once."""
        self._say(what, time.monotonic() - self._began)

    @contextmanager
    def phase(self, what: str) -> Iterator[None]:
        """Do something, and say so if it is time to."""
        stopped = threading.Event()

        def watch() -> None:
            while not stopped.wait(max(0.0, self._next - time.monotonic())):
                self._next = time.monotonic() + self._after
                self._say(what, time.monotonic() - self._began)

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            yield
        finally:
            stopped.set()
