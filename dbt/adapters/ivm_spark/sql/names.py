"""Names that are unique within a tree."""

from __future__ import annotations

import re


class Names:
    """Gives every column and alias of a tree a name of its own, close to what the user wrote.

    Names are lower case letters, digits and underscores, so that they need no column mapping in
    Delta, are the same under either case sensitivity, and never begin with `__ivm_`.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, wanted: str) -> str:
        """A name like the wanted one that has not been given yet."""
        base = re.sub(r"[^a-z0-9_]+", "_", wanted.lower()).strip("_") or "c"
        if base[0].isdigit():
            base = f"c_{base}"
        name, n = base, 1
        while name in self._taken:
            n += 1
            name = f"{base}_{n}"
        self._taken.add(name)
        return name
