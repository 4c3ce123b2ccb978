"""What a refresh writes into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """The state that a delta is brought into.

    Attributes:
        state: quoted name of the table.
        token: makes the names of temporary views this refresh's own.
        compact: a state that is appended to has its rows added up now.
        large: Spark types of the state's columns if it is so large that the change is computed
            first, and that it pays to ask which part of the state the change can meet.
        few: the change has certainly few rows, so that groups to compute again are broadcast.
    """

    state: str
    token: str = ""
    compact: bool = False
    large: Mapping[str, str] | None = None
    few: bool = False
