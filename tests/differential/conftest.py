from __future__ import annotations

from typing import Any

from tests.differential.algebra.batches import TALLY


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if TALLY.cases:
        terminalreporter.write_line(str(TALLY))
