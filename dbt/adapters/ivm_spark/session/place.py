"""A Spark that stays: its note, its clients, and whether it fits a profile.

    <cache>/dbt-ivm-spark/sparks/<place>/     one folder for each warehouse; only its owner reads it
        spark.json    the note: port, secret, settings; written once Spark answers
        keep          the seconds to stay without a client, as the latest client wants it
        keeper        locked by the keeper (see `keeper`) while it runs
        alive         locked until both the keeper and Spark have ended
        clients       locked, shared, by each process that uses this Spark
        start         locked by the process that starts it
        failed        why Spark did not start the last time
        spark.log     Spark's output

Every fact about another process is a lock on a file, which the system releases however the process
ends. So nothing here has to be repaired after a crash, and no process id is taken for another's.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version as version_of
from pathlib import Path
from typing import IO

from mashumaro.mixins.json import DataClassJSONMixin

from dbt.adapters.ivm_spark.__version__ import version
from dbt.adapters.ivm_spark.session.cache import cache_folder, digest, write
from dbt.adapters.ivm_spark.session.settings import METASTORE, METASTORE_SERVICE

WAREHOUSE = "spark.sql.warehouse.dir"
MEMORY = "spark.driver.memory"
_WAIT = 0.05
"""Seconds between two looks at another process."""
_TRIES = 100
"""How often a keeper tries to take a lock."""
_ENDING = 30.0
"""Seconds that a Spark has to end by itself."""


@dataclass(frozen=True)
class Note(DataClassJSONMixin):
    """A Spark that stays, as its keeper notes it.

    Attributes:
        port: the port of its gateway, on the loopback interface.
        secret: the secret that a client must send.
        keeper: the id of the process that keeps it.
        jvm: the id of Spark's own process.
        started: when it was started, in seconds since 1970.
        warehouse: the folder of its tables.
        memory: the memory of the driver, as Spark writes it.
        versions: the versions of the packages that it was started with, by package.
        digests: digests of the settings that it was started with, by name. The values may be
            secret.
    """

    port: int
    secret: str
    keeper: int
    jvm: int
    started: float
    warehouse: str
    memory: str
    versions: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def unlike(self, settings: Mapping[str, str]) -> list[str]:
        """Return the packages and settings that differ from those of this process."""
        wanted = {**versions(), **digests(settings)}
        found = {**self.versions, **self.digests}
        return sorted(
            key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)
        )


def versions() -> dict[str, str]:
    """Return the versions of the packages that must be the same in a client and in its Spark."""
    names = ("pyspark", "delta-spark")
    return {"dbt-ivm-spark": version, **{name: version_of(name) for name in names}}


def digests(settings: Mapping[str, str]) -> dict[str, str]:
    """Return a digest of each setting's value."""
    return {key: hashlib.sha256(value.encode()).hexdigest() for key, value in settings.items()}


class Place:
    """The folder of a warehouse's Spark, and the locks in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._client: IO[str] | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Place:
        """Return the place of the warehouse and metastore that these settings name.

        Spark's defaults for both are folders where it starts.
        """
        where = [
            str(Path(settings.get(WAREHOUSE, "spark-warehouse").removeprefix("file:")).resolve()),
            settings.get(METASTORE_SERVICE) or settings.get(METASTORE) or str(Path.cwd()),
            settings.get("spark.master", ""),
        ]
        return cls(cache_folder() / "sparks" / digest(where))

    @classmethod
    def all(cls) -> list[Place]:
        """Return every place of this user."""
        folder = cache_folder() / "sparks"
        return [cls(path) for path in sorted(folder.iterdir())] if folder.is_dir() else []

    @property
    def note(self) -> Note | None:
        """Return the note of the Spark that runs here, None if none runs.

        A Spark without a keeper is about to end.
        """
        return self._noted if self.is_locked("keeper") and self.is_locked("alive") else None

    @property
    def _noted(self) -> Note | None:
        try:
            return Note.from_json((self.folder / "spark.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def write(self, note: Note) -> None:
        """Write the note, readable by its owner only, in one step."""
        write(self.folder / "spark.json", str(note.to_json()))

    def forget(self) -> None:
        """Remove the note."""
        (self.folder / "spark.json").unlink(missing_ok=True)

    @property
    def keep(self) -> float:
        """Return the seconds for which the Spark stays without a client."""
        with suppress(OSError, ValueError):
            return float((self.folder / "keep").read_text(encoding="utf-8"))
        return 0.0

    @keep.setter
    def keep(self, seconds: float) -> None:
        write(self.folder / "keep", str(seconds))

    @property
    def log(self) -> Path:
        """Return the file of Spark's output."""
        return self.folder / "spark.log"

    @property
    def failure(self) -> str:
        """Return why the last Spark did not start, empty if it did."""
        with suppress(OSError):
            return self.failed.read_text(encoding="utf-8")
        return ""

    @property
    def failed(self) -> Path:
        """Return the file in which the keeper says why Spark did not start."""
        return self.folder / "failed"

    def enter(self, within: float = _ENDING) -> bool:
        """Count this process among the clients until it ends, and return whether that was possible.

        The keeper lets no client in while it cleans up or ends Spark.

        within: seconds to wait.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.chmod(0o700)
        if self._client is None:
            self._client = self._opened("clients")
        until = time.monotonic() + within
        while not _taken(self._client, fcntl.LOCK_SH):
            if time.monotonic() >= until:
                return False
            time.sleep(_WAIT)
        return True

    def leave(self) -> None:
        """Remove this process from the clients."""
        if self._client is not None:
            self._client.close()
            self._client = None

    @contextmanager
    def without_clients(self) -> Iterator[bool]:
        """Hold new clients back if there are none now, and yield whether there are none."""
        with self._opened("clients") as lock:
            yield _taken(lock, fcntl.LOCK_EX)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Yield whether this process is the only client, and let no other in if so."""
        assert self._client is not None
        if not _taken(self._client, fcntl.LOCK_EX):
            fcntl.flock(self._client, fcntl.LOCK_SH)
            yield False
            return
        try:
            yield True
        finally:
            fcntl.flock(self._client, fcntl.LOCK_SH)

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Let one process at a time start a Spark here."""
        with self._opened("start") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def is_locked(self, name: str) -> bool:
        """Return whether another process holds a lock of this place."""
        if not (self.folder / name).exists():
            return False
        with self._opened(name) as lock:
            return not _taken(lock, fcntl.LOCK_SH)

    def live(self, name: str = "alive") -> IO[str]:
        """Lock this place for the process that keeps the Spark.

        Raises OSError if another one keeps a Spark here.
        """
        lock = self._opened(name)
        for _ in range(_TRIES):
            # A process that only looks holds the lock for a moment.
            if _taken(lock, fcntl.LOCK_EX):
                return lock
            time.sleep(_WAIT)
        raise OSError(f"another process keeps a Spark at {self.folder}")

    def settle(self) -> None:
        """Wait until the Spark that starts or ends here has done so.

        One without a keeper is about to end, and is killed if that takes long.
        """
        until = time.monotonic() + _ENDING
        while self.note is None and self.is_locked("alive"):
            noted = self._noted
            late = time.monotonic() >= until and not self.is_locked("keeper")
            if late and noted is not None:
                _send(noted.jvm, signal.SIGKILL)
            time.sleep(_WAIT)

    def end(self, note: Note, kill: bool = False) -> None:
        """End the Spark that runs here, and wait until it has ended.

        kill: it does not answer, so do not ask.
        """
        until = time.monotonic() + (0 if kill else _ENDING)
        if not kill:
            _send(note.keeper, signal.SIGTERM)
        while self.is_locked("alive"):
            if time.monotonic() >= until:
                _send(note.keeper, signal.SIGKILL)
                _send(note.jvm, signal.SIGKILL)
            time.sleep(_WAIT)

    def _opened(self, name: str) -> IO[str]:
        return os.fdopen(os.open(self.folder / name, os.O_CREAT | os.O_RDWR, 0o600), "r+")


def _taken(lock: IO[str], kind: int) -> bool:
    """Take a lock if that needs no waiting, and return whether it was taken."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _send(process: int, kind: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, kind)
