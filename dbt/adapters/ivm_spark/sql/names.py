"""Names that are unique within a tree."""

from __future__ import annotations

import re


class Names:
    """Gives every column and alias of a tree a unique name, close to what the user wrote.

    Names consist of lower-case letters, digits and underscores. So they need no column mapping in
    Delta and are the same whether or not the session is case-sensitive. They never begin with
    `__ivm_`.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        """Return an unused name similar to the wanted one."""
        base = re.sub(r"[^a-z0-9_]+", "_", wanted.lower()).strip("_") or "c"
        if base[0].isdigit():
            base = f"c_{base}"
        # All numbers below the last one are taken, so that many equal names cost no search.
        n = self._numbers.get(base, 1)
        name = base if n == 1 else f"{base}_{n}"
        while name in self._taken:
            n += 1
            name = f"{base}_{n}"
        self._numbers[base] = n
        self._taken.add(name)
        return name
