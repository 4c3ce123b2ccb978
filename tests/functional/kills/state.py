"""What outlives a killed process: a folder of files, each of which is written at once."""

from __future__ import annotations

import json
import os
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

Rows = Counter[tuple[Any, ...]]
Allowed = dict[str, tuple[Rows | None, Rows]]
"""For each view the old rows, None where there was none, and the new ones."""


class State:
    """The state of a kill test, for the processes that are killed and for the one that kills."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def allow(self, allowed: Allowed) -> None:
        written = self._folder / "allowed.new"
        written.write_bytes(pickle.dumps(allowed))
        written.rename(self._folder / "allowed")
        (self._folder / "ready").touch()

    def unready(self) -> None:
        """The sources change, and what is allowed is that of before."""
        (self._folder / "ready").unlink(missing_ok=True)

    @property
    def is_ready(self) -> bool:
        return (self._folder / "ready").exists()

    def allowed(self) -> Allowed:
        path = self._folder / "allowed"
        return pickle.loads(path.read_bytes()) if path.exists() else {}

    def next_turn(self) -> int:
        path = self._folder / "turn"
        turn = int(path.read_text()) + 1 if path.exists() else 1
        path.write_text(str(turn))
        return turn

    def note(self, kind: str, fact: Any) -> None:
        """Add a fact to the file of its kind: `running`, `ran`, `found`, `wrong`, `reads`."""
        with (self._folder / kind).open("a") as file:
            file.write(json.dumps(fact) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def notes(self, kind: str) -> list[Any]:
        path = self._folder / kind
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
