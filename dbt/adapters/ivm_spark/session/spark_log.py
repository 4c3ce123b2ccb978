"""The log file of the embedded Spark, which keeps Spark's output out of dbt's."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from dbt.flags import get_flags

MAX_BYTES = 10 * 1024 * 1024
_TELLING = re.compile(r"(?i)\b(?:error|exception|unresolved|not found|failed|cannot|could not)\b")
_FRAME = re.compile(r"^\s*(?:at |\.\.\. \d+ more)")
_MAX_LINES = 12


class SparkLog:
    """The file `spark.log` beside `dbt.log`, and the text written since this object was made."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or _log_folder()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / "spark.log"
        if self.path.exists() and self.path.stat().st_size > MAX_BYTES:
            self.path.unlink()
        self._start = self.path.stat().st_size if self.path.exists() else 0

    def text(self) -> str:
        """Return the text written since this object was made."""
        if not self.path.exists():
            return ""
        with self.path.open("rb") as file:
            file.seek(self._start)
            return file.read().decode("utf-8", errors="replace")

    def telling_lines(self) -> str:
        """Return a short log whole, else the lines that look like errors, else the last lines."""
        lines = [line for line in self.text().splitlines() if line.strip()]
        lines = [line for line in lines if not _FRAME.match(line)]
        if len(lines) <= _MAX_LINES:
            return "\n".join(line.strip() for line in lines)
        telling = list(dict.fromkeys(line.strip() for line in lines if _TELLING.search(line)))
        return "\n".join(telling[:_MAX_LINES] or lines[-_MAX_LINES:])


def _log_folder() -> Path:
    """Return dbt's log folder, or the temporary folder if dbt names none (its API, tests)."""
    said = getattr(get_flags(), "LOG_PATH", None)
    return Path(said).resolve() if said else Path(tempfile.gettempdir())
