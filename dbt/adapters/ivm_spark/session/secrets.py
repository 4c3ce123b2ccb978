"""Which settings are secret, and messages without their values."""

from __future__ import annotations

import re

HIDDEN = "*********"
_SECRET = re.compile(r"(?i)secret|password|token|access[.]?key")
"""Source: the default of Spark's spark.redaction.regex."""


def is_secret(key: str) -> bool:
    """Whether a setting's value must not be shown."""
    return _SECRET.search(key) is not None


def without_secret(message: str, key: str, value: str) -> str:
    """A message about a setting; where the setting is secret, without its value."""
    return message.replace(value, HIDDEN) if value and is_secret(key) else message
