"""Secret settings: how they are recognized, and how messages hide their values."""

from __future__ import annotations

import re

HIDDEN = "*********"
_SECRET = re.compile(r"(?i)secret|password|token|access[.]?key|[.]credential$")
"""Source: the default of Spark's spark.redaction.regex, and the key of an Iceberg REST catalog."""


def is_secret(key: str) -> bool:
    """Return whether a setting's value must not be shown."""
    return _SECRET.search(key) is not None


def without_secret(message: str, key: str, value: str) -> str:
    """Return a message about a setting, without the value if the setting is secret."""
    return message.replace(value, HIDDEN) if value and is_secret(key) else message
