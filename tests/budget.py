"""How much is tried: what CI has time for, or all (`make test-long`, IVM_LONG)."""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

LONG = "IVM_LONG" in os.environ
only_long = pytest.mark.skipif(not LONG, reason="make test-long")

T = TypeVar("T")


def budget(ci: T, long: T) -> T:
    """The first in CI, the second where there is time."""
    return long if LONG else ci
