"""Facts as a commit's metadata has them: a mark that tells whose they are, and base64 of JSON.

A `;` or a quote would cut off a SET value.
"""

from __future__ import annotations

import base64
import json
from typing import Any


def marked(mark: str, facts: Any) -> str:
    """Return facts as the text that goes into a commit's metadata."""
    text = json.dumps(facts, separators=(",", ":"))
    return mark + base64.urlsafe_b64encode(text.encode()).decode()


def unmarked(mark: str, metadata: str | None) -> Any:
    """Return the facts in a commit's metadata, None if they have another mark or can't be read."""
    if not metadata or not metadata.startswith(mark):
        return None
    try:
        return json.loads(base64.urlsafe_b64decode(metadata[len(mark) :]))
    except ValueError:
        return None
