"""Reads the metadata of relations, with a few statements for each; none of them reads data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import Function, Relation, RelationKind
from dbt.adapters.ivm_spark.source.commit import Commit, commit_from
from dbt.adapters.ivm_spark.source.describe import relation_from, with_text
from dbt.adapters.ivm_spark.source.functions import function_from
from dbt.adapters.ivm_spark.source.iceberg import head_from, is_altered, newest_in, told_by
from dbt.adapters.ivm_spark.source.version_range import FILES, Head

Query = Callable[[str], Sequence[Mapping[str, Any]]]
_FIRST_LOOK = 8
_LISTING = """select md5(array_join(sort_array(collect_list(file)), ' ')) as listing
from (
  select distinct concat_ws(' ', _metadata.file_path, string(_metadata.file_size),
    string(unix_micros(_metadata.file_modification_time))) as file
  from {relation}
)"""
"""Reads which files of a table have rows."""
RESOLVED = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")
"""Settings whose default is not Spark's own: the time zone comes from the machine, the ANSI mode
from its environment."""


class SourceReader:
    """Describes relations and reads their commits through one connection.

    `query` sends a statement and returns its rows by column name. Its exceptions pass through.
    """

    def __init__(self, query: Query) -> None:
        self._query = query

    def settings(self) -> dict[str, str]:
        """Return the settings that the session has, or that its Spark was started with."""
        return self._set("set")

    def setting(self, key: str) -> str:
        """Return one setting of the session, its default if it is not set."""
        return self._set(f"set {key}").get(key, "")

    def _set(self, sql: str) -> dict[str, str]:
        return {str(row["key"]): str(row["value"]) for row in self._query(sql)}

    def now(self) -> int:
        """Return Spark's current time, in microseconds since 1970."""
        return int(self._query("select unix_micros(current_timestamp()) as now")[0]["now"])

    def relation(self, name: str) -> Relation:
        """Return a relation by its quoted name, a view with its text."""
        relation = relation_from(name, self._query(f"describe table extended {name}"))
        if relation.kind is RelationKind.VIEW:
            rows = self._query(f"describe table extended {name} as json")
            relation = with_text(relation, str(next(iter(rows[0].values()))))
        if relation.kind is RelationKind.ICEBERG and not self._is_at_newest(relation):
            return replace(relation, kind=RelationKind.OTHER)
        return relation

    def _is_at_newest(self, relation: Relation) -> bool:
        """Return whether an Iceberg table has the columns of its newest snapshot, and has one.

        A table that got other columns since can't be read at that snapshot.
        """
        told = self._query(told_by(relation.name))
        newest = newest_in(told)
        if newest is None or not is_altered(told):
            return newest is not None
        columns = self._query(
            f"describe query select * from {relation.name} version as of {newest}"
        )
        return relation.columns == tuple((c["col_name"], c["data_type"]) for c in columns)

    def function(self, name: str) -> Function:
        """Return a function by its quoted name."""
        return function_from(name, self._query(f"describe function extended {name}"))

    def head(self, relation: Relation, since: int | None) -> Head:
        """Return the newest state of a table, with its commits from version `since` on.

        A table of files has no commits and one version. Its id says which files it has.
        """
        if relation.kind is RelationKind.FILES:
            return Head(0, feed=False, table_id=self._files(relation), kind=relation.kind)
        if relation.kind is RelationKind.ICEBERG:
            return head_from(self._query(told_by(relation.name)))
        commits = self.commits(relation.name, since)
        return Head(commits[0].version, relation.feed, tuple(commits), mapped=relation.mapped)

    def renew(self, relation: Relation) -> None:
        """Let the session read the newest snapshots of an Iceberg table.

        A session keeps what it has read of a table. It can't read a snapshot that came later, which
        another session has pinned.

        Source: Iceberg's documentation, "Spark Configuration", `cache.expiration-interval-ms`.
        """
        if relation.kind is RelationKind.ICEBERG:
            self._query(f"refresh table {relation.name}")

    def _files(self, relation: Relation) -> str:
        """Return a digest of the files of a table: their paths, sizes and times, and its storage.

        REFRESH TABLE first drops the list of files that Spark may have from an earlier statement.

        Source: Spark's documentation, "File Metadata column".
        """
        self._query(f"refresh table {relation.name}")
        listed = self._query(_LISTING.format(relation=relation.name))[0]["listing"]
        return FILES + hashlib.sha256(f"{relation.storage}\n{listed}".encode()).hexdigest()[:32]

    def table_id(self, name: str) -> str:
        """Return the id that Delta gave a table when it was created or replaced."""
        return str(self._query(f"describe detail {name} /* id */")[0]["id"])

    def detail(self, name: str) -> Mapping[str, Any]:
        """Return Delta's description of a table as it is: id, location, properties, files and more.

        Source: Delta's documentation, "Retrieve Delta table details".
        """
        return self._query(f"describe detail {name}")[0]

    def commits(self, name: str, since: int | None) -> list[Commit]:
        """Return the newest commits of a Delta table, newest first.

        They include every commit from version `since` on that the log still has.
        """
        limit = 1 if since is None else _FIRST_LOOK
        commits = self._history(name, limit, since)
        if since is not None and len(commits) == limit and commits[-1].version > since:
            commits = self._history(name, commits[0].version - since + 1, since)
        return commits

    def last_changed(self, name: str) -> int | None:
        """Return when the newest commit of a table was made, in milliseconds since 1970.

        None if the table's format records no commits, or the table has none.
        """
        relation = relation_from(name, self._query(f"describe table extended {name}"))
        if relation.kind is RelationKind.ICEBERG:
            told = self._query(told_by(name))
            made = head_from(told).commits[0].committed if newest_in(told) is not None else ""
        elif relation.kind is RelationKind.DELTA:
            made = self.commits(name, None)[0].committed
        else:
            return None
        if made and not made.isdigit():
            # A server that sends times as text writes them in the session's time zone.
            rows = self._query(f"select unix_millis(timestamp'{made}') as made")
            made = str(rows[0]["made"])
        return int(made) if made else None

    def recent(self, name: str, limit: int = _FIRST_LOOK) -> list[Commit]:
        """Return the newest few commits of a Delta table, newest first."""
        return self._history(name, limit)

    def _history(self, name: str, limit: int, since: int | None = None) -> list[Commit]:
        """Return at most `limit` commits of a table, newest first.

        `since` lets a reader of the log itself (session/history.py) leave out older commits. A
        server's DESCRIBE HISTORY has no such clause; there it only says why the statement is sent.
        """
        those = "" if since is None else f" /* since version {since} */"
        rows = self._query(f"describe history {name} limit {limit}{those}")
        return sorted((commit_from(row) for row in rows), key=lambda c: -c.version)
