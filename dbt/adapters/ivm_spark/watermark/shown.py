"""The mark of the view `<model>`: a short table property that says how it was created."""

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
    """Return the mark of a view: the query's fingerprint, and a hash of all that makes up the view.

    Args:
        fingerprint: the query's fingerprint.
        view: the view's SELECT.
        outputs: (name, Spark type) of the view's columns.
        described: the descriptions that the view carries (anything JSON can say), None without any.
    """
    text = json.dumps([view, outputs, described or None], sort_keys=True, default=str)
    mark = f"{fingerprint}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return mark + _DESCRIBED if described else mark


def unsettled(mark: str) -> str:
    """Return the mark of a view that is being changed; no plan's view has it."""
    return "0" + _DESCRIBED if is_described(mark) else "0"


def as_shown(mark: str, text: str = "") -> str:
    """Return what dbt would say of a view that this run has set, for `is_shown` and `mark_in`.

    Args:
        mark: of the view.
        text: its SELECT, empty if the view is being changed.
    """
    return f"{PROPERTY}={mark}\nView Text: {text}\nView Original Text: {text}"


def is_described(mark: str) -> bool:
    """Return whether a view with this mark carries descriptions."""
    return mark.endswith(_DESCRIBED)


def is_shown(information: str, mark: str, texts: Iterable[str]) -> bool:
    """Return whether the existing view has this mark and still one of these texts.

    The view may have been written in any of the texts. They are compared too, because ALTER VIEW
    keeps the mark.
    """
    return mark_in(information) == mark and has_text(information, texts)


def has_text(information: str, texts: Iterable[str]) -> bool:
    """Return whether the existing view has one of these texts."""
    said = _folded(information)
    return any(f"ViewText:{_folded(text)}View" in said for text in texts)


def _folded(text: str) -> str:
    return "".join(text.split())


def mark_in(information: str) -> str:
    """Return an existing view's mark from SHOW TABLE EXTENDED, empty if the view is not ours."""
    found = _MARK.search(information)
    return found.group(1) if found is not None else ""
