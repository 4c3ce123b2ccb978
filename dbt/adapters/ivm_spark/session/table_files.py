"""The files of a Delta table at its newest version, which are asked for once a version.

Delta writes the files of a table with at most 50 of them into the checksum of each version. The
files of a larger table take a job. Delta itself runs at least one for each scan of each query.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from pyspark import SparkContext
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.physical.file_pruning import LEAST, MOST
from dbt.adapters.ivm_spark.session.delta_log import COLUMN_METADATA, known_files
from dbt.adapters.ivm_spark.session.jvm import BUFFER, java_class, scala_object

MOST_KNOWN = 500
"""A table with more files is left to Delta. The driver keeps about 2 KB for each file."""
_MOST_TABLES = 100
"""Tables whose files are kept."""
READER_FEATURES = frozenset(
    {"columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
)
"""Features of a table for whose readers the files alone are enough."""
_OLD_READERS = 2
"""The last version of the protocol without a list of features."""
_OTHERS = 20
"""One file in so many may have other values at each end, as the newest ones often do."""
_PHYSICAL = "delta.columnMapping.physicalName"
"""Metadata of a column that may have another name in the statistics of files."""
_JSON = "org.apache.spark.sql.delta.util.JsonUtils"
_ARRAY = "scala.collection.immutable.ArraySeq"
_kept: WeakKeyDictionary[SparkContext, dict[str, TableFiles]] = WeakKeyDictionary()
"""By Spark and the table's folder, the latest used ones last."""


@dataclass(frozen=True)
class File:
    """What Delta's log says of a file.

    Attributes:
        size: in bytes.
        statistics: of its columns, empty if it has none; see Delta's protocol, "Per-file
            Statistics".
    """

    size: int
    statistics: Mapping[str, Any]


class TableFiles:
    """The files of a table at a version.

    number, size: how many files they are, and their size in bytes.
    """

    def __init__(self, jvm: Any, snapshot: Any, checksum: Any) -> None:
        self.number, self.size = int(checksum.numFiles()), int(checksum.tableSizeBytes())
        self.version = int(snapshot.version())
        self.table = str(snapshot.metadata().id())
        self._jvm, self._snapshot = jvm, snapshot
        self._alike: dict[str, bool] = {}

    @cached_property
    def all(self) -> Any | None:
        """Return them as a Scala collection of Delta's AddFile, None if they are too many."""
        known = known_files(self._snapshot)
        if known is None and self.number <= MOST_KNOWN:
            found = self._snapshot.allFiles().collect()
            known = java_class(self._jvm, _ARRAY).unsafeWrapArray(found)
        return known

    @cached_property
    def said(self) -> tuple[File, ...]:
        """Return what is said of each of `all`, in their order."""
        mapper = scala_object(self._jvm, _JSON).mapper()
        told = json.loads(str(mapper.writeValueAsString(self.all)))
        return tuple(File(int(f["size"]), json.loads(f.get("stats") or "{}")) for f in told)

    def are_alike_in(self, column: str) -> bool:
        """Return whether most files have values of a column from one range.

        Then a condition on the column is true in almost all files or in almost none, as far as
        their statistics tell. Not so if the rows are laid out by the column or came in its order.
        """
        if column not in self._alike:
            said = [[file.statistics.get(of, {}) for of in (LEAST, MOST)] for file in self.said]
            ends = [(least.get(column), most.get(column)) for least, most in said]
            nested = any(isinstance(end, dict) for pair in ends for end in pair)
            alike = not nested and _overlap([pair for pair in ends if None not in pair])
            self._alike[column] = alike and not self.are_mapped
        return self._alike[column]

    def some(self, places: list[int]) -> Any:
        """Return those of `all` that have these places."""
        assert self.all is not None
        if len(places) == len(self.said):
            return self.all
        found = java_class(self._jvm, BUFFER)()
        for place in places:
            found.append(self.all.apply(place))
        return found.toSeq()

    @cached_property
    def _columns(self) -> list[dict[str, Any]]:
        """Return the metadata of all columns."""
        return list(_metadata(json.loads(self._snapshot.schema().json())))

    @cached_property
    def tell_all(self) -> bool:
        """Return whether the files and the types of the columns say all about the table's rows."""
        protocol = json.loads(self._snapshot.protocol().json())["protocol"]
        features = set(protocol.get("readerFeatures") or ())
        if protocol["minReaderVersion"] > _OLD_READERS and not features <= READER_FEATURES:
            return False
        return all(set(said) <= COLUMN_METADATA for said in self._columns)

    @cached_property
    def are_mapped(self) -> bool:
        """Return whether a column may have another name in the statistics."""
        return any(_PHYSICAL in said for said in self._columns)


def files_of(session: SparkSession, log: Any, snapshot: Any) -> TableFiles | None:
    """Return the files of a table at a version, None if Delta wrote no checksum of it.

    Args:
        session: of this process, not of a server.
        log: the table's DeltaLog.
        snapshot: of the version.
    """
    kept = _kept.setdefault(session.sparkContext, {})
    folder = str(log.dataPath())
    known = kept.pop(folder, None)
    if known is None or not _is_of(known, snapshot):
        checksum = snapshot.checksumOpt()
        if not checksum.isDefined():
            return None
        known = TableFiles(session._jvm, snapshot, checksum.get())
    kept[folder] = known
    while len(kept) > _MOST_TABLES:
        kept.pop(next(iter(kept)), None)
    return known


def _is_of(known: TableFiles, snapshot: Any) -> bool:
    return (known.version, known.table) == (snapshot.version(), snapshot.metadata().id())


def _overlap(ends: Sequence[tuple[Any, Any]]) -> bool:
    """Return whether most ranges have a value in common, given the ends of each.

    A range without ends may have any value, and is to be left out.
    """
    few = round(len(ends) / _OTHERS)
    least, most = sorted(low for low, _ in ends), sorted(high for _, high in ends)
    return not ends or least[-1 - few] <= most[few]


def _metadata(said: Any) -> Iterator[dict[str, Any]]:
    """Yield the metadata of all fields of a type, in the form of Spark's JSON."""
    if isinstance(said, dict):
        if "metadata" in said:
            yield said["metadata"]
        for key, value in said.items():
            if key != "metadata":
                yield from _metadata(value)
    elif isinstance(said, list):
        for value in said:
            yield from _metadata(value)
