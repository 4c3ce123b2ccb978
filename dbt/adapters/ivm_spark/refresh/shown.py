"""What the view `<model>` was created with, as one short text in its table properties."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

_MARK = re.compile(r"ivm_spark\.fingerprint=([0-9a-f-]+)")


def view_mark(fingerprint: str, described: Any) -> str:
    """The mark of a view over a state of this fingerprint.

    described: the descriptions that the view carries (anything JSON can say), None without any.
    """
    if not described:
        return fingerprint
    text = json.dumps(described, sort_keys=True, default=str)
    return f"{fingerprint}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def is_shown(information: str, mark: str, view: str) -> bool:
    """Whether the existing view has this mark and still this text: ALTER VIEW keeps the mark."""
    text = f"ViewText:{_folded(view)}View"
    return mark_in(information) == mark and text in _folded(information)


def _folded(text: str) -> str:
    return "".join(text.split())


def mark_in(information: str) -> str:
    """The mark of an existing view, from SHOW TABLE EXTENDED; empty for a view that is not ours."""
    found = _MARK.search(information)
    return found.group(1) if found is not None else ""
