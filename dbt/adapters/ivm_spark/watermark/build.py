"""The unfinished build of a state, as the commits of its table of parts record it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mashumaro.codecs.basic import BasicDecoder, BasicEncoder

from dbt.adapters.ivm_spark.source.commit import Commit, Effect
from dbt.adapters.ivm_spark.watermark.marked import marked, unmarked
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark

_MARK = "ivm-build1."


@dataclass(frozen=True)
class Build:
    """A build in parts.

    Attributes:
        build_id: the id of the build for Delta's idempotent writes.
        contents: digest of the query that gives all parts and of the settings that it depends on.
            It has the versions of the sources and the values of the clock.
        sources: the watermark of each source, by quoted name; all parts are read at these versions.
        refresh: the number of the state's last refresh when it began, 0 for a first build.
        bounds: the values that begin each part but the first, as text.
        done: how many parts are built.
        seconds: the time that they took.
    """

    build_id: str
    contents: str
    sources: dict[str, SourceWatermark] = field(default_factory=dict)
    refresh: int = 0
    bounds: tuple[str, ...] = ()
    done: int = 0
    seconds: float = 0.0

    @property
    def parts(self) -> int:
        """Return how many parts there are to build."""
        return len(self.bounds) + 1

    def encode(self) -> str:
        """Return the text that goes into the metadata of the commit of a part."""
        return marked(_MARK, _ENCODER.encode(self))


@dataclass(frozen=True)
class Record:
    """The commit of a part.

    Attributes:
        version: of the table of parts after it.
        build: as far as it had come.
    """

    version: int
    build: Build

    def same_as(self, version: int, build: Build) -> bool:
        """Return whether a build recorded by a commit is this one, and as far."""
        here = self.version, self.build.build_id, self.build.done
        return here == (version, build.build_id, build.done)


_ENCODER = BasicEncoder(Build)
_DECODER = BasicDecoder(Build)


def recorded(commits: Sequence[Commit], known: Record | None = None) -> Record | None:
    """Return the record of the build that a table of parts has the rows of.

    None if the table may have other rows.

    Args:
        commits: all commits of the table, or those from that of `known` on, the newest first.
        known: what an earlier look at the table found, None without one.
    """
    newest: Record | None = None
    last: Build | None = None
    for commit in commits:
        build = _decode(commit.metadata)
        if build is None and commit.effect is Effect.NOTHING:
            continue  # for example OPTIMIZE
        follows = last is None or (
            build is not None and build.build_id == last.build_id and build.done < last.done
        )
        if build is None or not follows:
            return None
        newest, last = newest or Record(commit.version, build), build
        if build.done == 1 or (known is not None and known.same_as(commit.version, build)):
            return newest
    return None


def is_of_parts(commits: Sequence[Commit]) -> bool:
    """Return whether any of a table's commits is a part of a build."""
    return any((commit.metadata or "").startswith(_MARK) for commit in commits)


def _decode(metadata: str | None) -> Build | None:
    try:
        return _DECODER.decode(unmarked(_MARK, metadata))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
