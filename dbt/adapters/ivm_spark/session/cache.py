"""The folder of the files that the adapter keeps for a user between two runs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder, which may not exist yet."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "dbt-ivm-spark"


def digest(said: Iterable[str]) -> str:
    """Return a short name for a list of texts."""
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def write(path: Path, text: str) -> None:
    """Write a file in one step, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f"{path.name}.{os.getpid()}")
    owner_only = os.open(written, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(owner_only, "w", encoding="utf-8") as file:
        file.write(text)
    written.replace(path)
