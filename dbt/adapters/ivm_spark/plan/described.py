"""Asks Spark for the names and types of a query's columns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.plan.derived_types import DerivedTypes
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.storage import VOID, form_of, is_stored

_NOT_STORED = re.compile(r"\b(void|collate|interval)\b|\btime\(")


def check_outputs(outputs: Iterable[tuple[str, str]]) -> None:
    """Raise RefusedError for a column of a query that Delta does not store.

    The query is one that is stored as it is; an ordinary table of it could not be created either.
    """
    for name, kind in outputs:
        kept = kind == VOID or form_of(kind) is not None or is_stored(kind)
        if not kept and _NOT_STORED.search(kind.lower()):
            raise RefusedError(
                f"the query outputs column {name} of type {kind}, which Delta can't store. Cast "
                "it to a type that Delta stores, such as string, or remove it."
            )


class Described:
    """Asks for columns with DESCRIBE QUERY, which reads no rows; once for each tree."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._asked: dict[str, dict[str, str]] = {}
        self._derived = DerivedTypes(self._ask)

    def outputs(self, sql: str) -> tuple[tuple[str, str], ...]:
        """Return (name, type) of a model's columns.

        Raises RefusedError if a view can't have these columns.
        """
        outputs = self._columns(sql)
        seen: set[str] = set()
        for name, _ in outputs:
            if name.lower().startswith("__ivm_"):
                raise RefusedError(
                    f"the query outputs a column named {name}; names that begin with __ivm_ are "
                    "reserved. Rename the column."
                )
            if name.lower() in seen:
                raise RefusedError(
                    f"the query outputs two columns named {name}. Rename one of them."
                )
            seen.add(name.lower())
        return outputs

    def types(self, node: Node) -> dict[str, str]:
        """Return the types of a tree's columns, by name."""
        return dict(self._derived.of(node))

    def _ask(self, node: Node) -> dict[str, str]:
        if not node.columns:
            return {}
        sql = to_sql(render(node, bind_plain), owned=True)
        if sql not in self._asked:
            self._asked[sql] = dict(self._columns(sql))
        return self._asked[sql]

    def _columns(self, sql: str) -> tuple[tuple[str, str], ...]:
        rows = self._query(f"describe query\n{sql}")
        return tuple((str(row["col_name"]), str(row["data_type"])) for row in rows)
