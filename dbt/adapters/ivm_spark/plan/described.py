"""Asks Spark for the names and types of a query's columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.columns import expressions_of
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import children
from dbt.adapters.ivm_spark.algebra.tree import Node, Values
from dbt.adapters.ivm_spark.plan.derived_types import DerivedTypes
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.storage import VOID, form_of, is_stored

_QUOTED = re.compile(r"`((?:[^`]|``)+)`")
_AT_ONCE = 40
"""How many trees one statement asks about at most."""
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
    """Asks for columns with DESCRIBE QUERY, which reads no rows.

    It asks once for trees that differ in names only.

    Args:
        query: sends a statement.
        sources: the sources whose columns are known, by quoted name.
    """

    def __init__(self, query: Query, sources: Mapping[str, Relation] | None = None) -> None:
        self._query = query
        self._kinds: dict[str, list[str]] = {}
        """The types that Spark gave the columns of a tree, by its text without their names."""
        self._derived = DerivedTypes(self._ask, sources)

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

    def _ask(self, trees: Sequence[Node]) -> list[dict[str, str]]:
        """Return the types of some trees' columns, of those that differ in names only once."""
        texts = [to_sql(render(t, bind_plain), owned=True) if t.columns else "" for t in trees]
        shapes = [_shape(tree, text) for tree, text in zip(trees, texts, strict=True)]
        new = {
            shape: (text, len(tree.columns))
            for shape, text, tree in zip(shapes, texts, trees, strict=True)
            if text and shape not in self._kinds
        }
        asked = list(new.items())
        for start in range(0, len(asked), _AT_ONCE):
            self._ask_together(dict(asked[start : start + _AT_ONCE]))
        return [
            dict(zip(tree.columns, self._kinds.get(shape, ()), strict=True))
            for tree, shape in zip(trees, shapes, strict=True)
        ]

    def _ask_together(self, asked: Mapping[str, tuple[str, int]]) -> None:
        """Ask about texts by their shapes, each with the number of its columns."""
        texts = [f"({text}) as t{place}" for place, (text, _) in enumerate(asked.values())]
        try:
            joined = f"select * from {' cross join '.join(texts)}"
            found = self._kinds_of(joined) if len(texts) > 1 else []
        except DbtDatabaseError:  # one of them is rejected, and says so alone
            found = []
        kinds = iter(found)
        for shape, (text, width) in asked.items():
            self._kinds[shape] = list(islice(kinds, width)) or self._kinds_of(text)

    def _kinds_of(self, sql: str) -> list[str]:
        return [kind for _, kind in self._columns(sql)]

    def _columns(self, sql: str) -> tuple[tuple[str, str], ...]:
        rows = self._query(f"describe query\n{sql}")
        return tuple((str(row["col_name"]), str(row["data_type"])) for row in rows)


def _shape(tree: Node, text: str) -> str:
    """Return a tree's text with numbers in place of the names of its and its inputs' columns.

    Two trees of one text have the same types. The text stays as it is if anything else in it may
    have such a name: a field, a relation, a part of a literal.
    """
    plain = "STRUCT" not in text.upper() and all(isinstance(i, Values) for i in children(tree))
    parts = (part for expression in expressions_of(tree) for part in expression.walk())
    if not plain or any(
        isinstance(p, exp.Dot) or (isinstance(p, exp.Literal) and "`" in p.name) for p in parts
    ):
        return text
    names = {name for node in (tree, *children(tree)) for name in node.columns}
    places: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        name = found.group(1)
        return places.setdefault(name, f"`{len(places)}`") if name in names else found.group()

    return _QUOTED.sub(numbered, text)
