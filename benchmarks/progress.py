"""How far a benchmark is: a bar on a terminal, lines where the output goes to a file."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Steps:
    """Counts the steps of a benchmark and says what the newest one came to."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._bar = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=None)
        self._begun = time.monotonic()
        self._done = 0
        self._total = 0

    def __enter__(self) -> Steps:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def expect(self, steps: int) -> None:
        """So many steps more will come."""
        self._total += steps
        self._bar.update(self._task, total=self._total)

    def now(self, what: str) -> None:
        """What is being done."""
        self._bar.update(self._task, description=what)

    def done(self, what: str) -> None:
        """A step is done; what came of it."""
        self._done += 1
        self._bar.advance(self._task)
        line = f"{time.monotonic() - self._begun:7.1f}s {self._done}/{self._total} {what}"
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)
