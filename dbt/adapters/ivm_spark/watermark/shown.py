"""What the view `<model>` was created with, as one short text in its table properties."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

PROPERTY = "ivm_spark.fingerprint"
ROW = "ivm_spark.row"
"""The view's property that says what a row of its state shows."""
_MARK = re.compile(rf"{re.escape(PROPERTY)}=([0-9a-f-]+)")
_DESCRIBED = "-d"


def view_mark(
    fingerprint: str, view: str, outputs: Sequence[tuple[str, str]], described: Any
) -> str:
    """The mark of a view: the query's fingerprint, and a hash of all that the view is made of.

    view: its SELECT; outputs: (name, Spark type) of its columns; described: the descriptions that
    it carries (anything JSON can say), None without any.
    """
    text = json.dumps([view, outputs, described or None], sort_keys=True, default=str)
    mark = f"{fingerprint}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return mark + _DESCRIBED if described else mark


def unsettled(mark: str) -> str:
    """The mark of a view that is being changed: no plan's view has it."""
    return "0" + _DESCRIBED if is_described(mark) else "0"


def is_described(mark: str) -> bool:
    """Whether a view with this mark carries descriptions."""
    return mark.endswith(_DESCRIBED)


def is_shown(information: str, mark: str, texts: Iterable[str]) -> bool:
    """Whether the existing view has this mark and still one of these texts, in which it may have
    been written: ALTER VIEW keeps the mark."""
    said = _folded(information)
    same = any(f"ViewText:{_folded(text)}View" in said for text in texts)
    return mark_in(information) == mark and same


def _folded(text: str) -> str:
    return "".join(text.split())


def mark_in(information: str) -> str:
    """The mark of an existing view, from SHOW TABLE EXTENDED; empty for a view that is not ours."""
    found = _MARK.search(information)
    return found.group(1) if found is not None else ""
