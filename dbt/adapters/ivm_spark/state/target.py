"""What a refresh writes into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """The state that a delta is brought into.

    Attributes:
        state: quoted name of the table.
        token: makes the names of temporary views unique to this refresh.
        compact: the refresh adds up the rows of a state that is appended to.
        large: Spark types of the columns of a large state, None for any other state. The change of
            a large state is computed first, and it is worth asking which part of the state it can
            match.
        exchanges: a transaction may replace the rows that change. The change is computed first.
        few: the change certainly has few different rows, so that groups to compute again are
            broadcast.
    """

    state: str
    token: str = ""
    compact: bool = False
    large: Mapping[str, str] | None = None
    exchanges: bool = False
    few: bool = False
