"""Reads what is known of relations: a few statements each, none of them reads data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import Relation, RelationKind
from dbt.adapters.ivm_spark.source.commit import Commit, commit_from
from dbt.adapters.ivm_spark.source.describe import relation_from, with_text
from dbt.adapters.ivm_spark.source.version_range import Head

Query = Callable[[str], Sequence[Mapping[str, Any]]]
_FIRST_LOOK = 8
RESOLVED = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")
"""Settings whose default is not Spark's own: the machine's time zone, and what its environment says
of ANSI."""


class SourceReader:
    """Describes relations and reads their histories through one connection.

    `query` sends a statement and returns its rows by column name; what it raises passes through.
    """

    def __init__(self, query: Query) -> None:
        self._query = query

    def settings(self) -> dict[str, str]:
        """What is set in the session, or was when its Spark started."""
        return self._set("set")

    def setting(self, key: str) -> str:
        """One setting of the session, its default where it is not set."""
        return self._set(f"set {key}").get(key, "")

    def _set(self, sql: str) -> dict[str, str]:
        return {str(row["key"]): str(row["value"]) for row in self._query(sql)}

    def relation(self, name: str) -> Relation:
        """A relation by its quoted name; a view with its text."""
        relation = relation_from(name, self._query(f"describe table extended {name}"))
        if relation.kind is RelationKind.VIEW:
            rows = self._query(f"describe table extended {name} as json")
            relation = with_text(relation, str(next(iter(rows[0].values()))))
        return relation

    def head(self, relation: Relation, since: int | None) -> Head:
        """The newest version of a Delta table, with the commits from version `since` on."""
        commits = self.commits(relation.name, since)
        return Head(commits[0].version, relation.feed, tuple(commits), mapped=relation.mapped)

    def table_id(self, name: str) -> str:
        """The id that Delta gave a table when it was created or replaced."""
        return str(self._query(f"describe detail {name} /* id */")[0]["id"])

    def detail(self, name: str) -> Mapping[str, Any]:
        """What Delta says of a table as it is: its id, location, properties, files and more.

        Source: Delta's documentation, "Retrieve Delta table details".
        """
        return self._query(f"describe detail {name}")[0]

    def commits(self, name: str, since: int | None) -> list[Commit]:
        """The newest commits of a Delta table, newest first, at least those from `since` on that
        the log still has."""
        limit = 1 if since is None else _FIRST_LOOK
        commits = self._history(name, limit, since)
        if since is not None and len(commits) == limit and commits[-1].version > since:
            commits = self._history(name, commits[0].version - since + 1, since)
        return commits

    def recent(self, name: str, limit: int = _FIRST_LOOK) -> list[Commit]:
        """The newest few commits of a Delta table, newest first."""
        return self._history(name, limit)

    def _history(self, name: str, limit: int, since: int | None = None) -> list[Commit]:
        """since: a reader of the log itself (session/history.py) need not read what is older; for a
        server, where DESCRIBE HISTORY has no such clause, it says why it is asked."""
        those = "" if since is None else f" /* since version {since} */"
        rows = self._query(f"describe history {name} limit {limit}{those}")
        return sorted((commit_from(row) for row in rows), key=lambda c: -c.version)
