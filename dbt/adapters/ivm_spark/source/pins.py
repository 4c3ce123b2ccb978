"""The versions at which a run reads its sources, the same for every view of the run.

A source that the run itself builds is read at its newest version until the run has built it. Every
other source is pinned when the run first reads it, and a built one when the run next reads it.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from threading import RLock

from dbt.adapters.ivm_spark.algebra.catalog import Relation, relation_key
from dbt.adapters.ivm_spark.source.reader import RESOLVED, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head


class Pins:
    """The pinned heads and descriptions of one dbt run's sources, shared by the run's threads."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._heads: dict[str, Head] = {}
        self._relations: dict[str, Relation] = {}
        self._defaults: dict[str, str] = {}
        self._done: set[str] = set()
        self._now: int | None = None

    def done(self, *names: str) -> None:
        """Record that the run has built these relations, given by their quoted names."""
        with self._lock:
            for key in map(relation_key, names):
                self._done.add(key)
                self._relations.pop(key, None)
                self._heads.pop(key, None)

    def _changes(self, key: str, built: Set[str]) -> bool:
        """Return whether the run has yet to build a relation."""
        return key in built and key not in self._done

    def settings(self, reader: SourceReader) -> dict[str, str]:
        """Return a session's settings, with the defaults of those of `RESOLVED` that are not set.

        These defaults are the same for all sessions of a run, so they are read once.
        """
        found = reader.settings()
        with self._lock:
            for key in RESOLVED:
                if key not in found and key not in self._defaults:
                    self._defaults[key] = reader.setting(key)
            return {**self._defaults, **found}

    def now(self, reader: SourceReader) -> int:
        """Return the time of the run, in microseconds since 1970: when it was first asked for."""
        with self._lock:
            if self._now is None:
                self._now = reader.now()
            return self._now

    def relation(self, reader: SourceReader, name: str, built: Set[str]) -> Relation:
        """Return the description of a relation.

        `built` holds the keys of the relations that this run builds.
        """
        key = relation_key(name)
        if self._changes(key, built):
            return reader.relation(name)
        known = self._relations.get(key)
        if known is None:
            known = reader.relation(name)
            with self._lock:
                self._relations[key] = known
        return known

    def head(
        self, reader: SourceReader, relation: Relation, since: int | None, built: Set[str]
    ) -> Head:
        """Return the head of a source with its commits from version `since` on."""
        key = relation_key(relation.name)
        if self._changes(key, built):
            return reader.head(relation, since)
        with self._lock:
            pinned = self._heads.get(key)
            if pinned is None:
                pinned = self._heads[key] = reader.head(relation, since)
            else:
                reader.renew(relation)
            if since is not None and not pinned.reaches(since):
                commits = reader.commits(relation.name, since)
                upto = tuple(c for c in commits if c.version <= pinned.version)
                pinned = self._heads[key] = replace(pinned, commits=upto)
            return pinned
