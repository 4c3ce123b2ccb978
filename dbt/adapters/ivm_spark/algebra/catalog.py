"""The relations that a query reads and the functions that it calls, with their texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from sqlglot import exp

_TYPED_FORMATS = frozenset({"orc", "parquet"})
"""Formats of files whose columns have types of their own."""


class RelationKind(str, Enum):
    """The kinds of relations that a refresh tells apart.

    Attributes:
        DELTA: a Delta table, which has versions.
        ICEBERG: an Iceberg table with snapshots, which are its versions.
        VIEW: a view.
        FILES: a table of files that Spark lists and reads itself, without versions.
        OTHER: any other relation. Nothing tells whether its rows have changed.
    """

    DELTA = "delta"
    ICEBERG = "iceberg"
    VIEW = "view"
    FILES = "files"
    OTHER = "other"


@dataclass(frozen=True)
class Relation:
    """A relation as Spark's DESCRIBE shows it.

    Attributes:
        name: the quoted name, see `relation_name`.
        kind: what kind of relation it is.
        columns: (name, Spark type) of each column, in order.
        text: the query of a view.
        namespace: the namespace in which Spark looks up the names in a view's text.
        text_columns: the output columns of a view's text, by name, that the view's columns take.
        settings: the session settings under which a view was created, as Spark keeps them.
        feed: the table's change feed is on.
        mapped: the table's columns can be renamed and dropped, or once could be.
        vectors: the table may have deletion vectors.
        tracked: the table's rows have ids that stay, so that a Spark may find its changes by them.
        format: the format of a table of files, in lower case.
        storage: how and where a table of files is stored, as text.
    """

    name: str
    kind: RelationKind
    columns: tuple[tuple[str, str], ...]
    text: str = ""
    namespace: tuple[str, ...] = ()
    text_columns: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    feed: bool = False
    mapped: bool = False
    vectors: bool = False
    tracked: bool = False
    format: str = ""
    storage: str = ""

    @property
    def tells_changes(self) -> bool:
        """Return whether a refresh can tell if the relation's rows have changed."""
        return self.kind in (RelationKind.DELTA, RelationKind.ICEBERG, RelationKind.FILES)

    @property
    def is_read_exactly(self) -> bool:
        """Return whether a row's values do not depend on what else a query reads of the table.

        A text format has no types of its own. Which rows of it Spark takes for broken depends on
        the columns that a query reads (`spark.sql.csv.parser.columnPruning.enabled`).
        """
        versioned = self.kind in (RelationKind.DELTA, RelationKind.ICEBERG)
        return versioned or self.format in _TYPED_FORMATS


@dataclass(frozen=True)
class Function:
    """A function that is not Spark's own, as DESCRIBE FUNCTION EXTENDED shows it.

    Attributes:
        name: its name, as Spark shows it.
        parameters: name, type and default of each parameter; the default is SQL, empty if there is
            none.
        returns: the type of its result.
        body: the expression after RETURN; empty if it is not an SQL function.
        namespace: the namespace in which Spark looks up the names in the body.
        settings: the session settings under which it was created, as Spark keeps them.
        unsupported: why calls of an SQL function can't be expanded; empty if they can.
    """

    name: str
    parameters: tuple[tuple[str, str, str], ...] = ()
    returns: str = ""
    body: str = ""
    namespace: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    unsupported: str = ""


@dataclass(frozen=True)
class Catalog:
    """The known relations and functions.

    Attributes:
        relations: each relation by its key, see `relation_key`.
        schema: the schema of unqualified names.
        functions: each function by its key, see `function_key`.
        trusted: the lower-case names of functions that the user promises to be deterministic.
    """

    relations: dict[str, Relation] = field(default_factory=dict)
    schema: tuple[str, ...] = ("default",)
    functions: dict[str, Function] = field(default_factory=dict)
    trusted: frozenset[str] = frozenset()

    def with_relations(self, relations: Iterable[Relation]) -> Catalog:
        """Return the same catalog with some relations, those that it has among them or not."""
        return replace(
            self, relations={**self.relations, **{relation_key(r.name): r for r in relations}}
        )


def name_parts(table: exp.Table) -> tuple[str, ...]:
    """Return the parts of a table's name as the text spells them."""
    return tuple(part.name for part in table.parts)


def relation_name(parts: tuple[str, ...], namespace: tuple[str, ...]) -> str:
    """Return a relation's full name as quoted SQL.

    The namespace completes a name of one part. `spark_catalog`, which every Spark session has, is
    left out.
    """
    if len(parts) == 1:
        parts = (*namespace, *parts)
    if len(parts) == 3 and parts[0].lower() == "spark_catalog":
        parts = parts[1:]
    return ".".join(quote(part) for part in parts)


def relation_key(name: str) -> str:
    """Return a key that is equal for two spellings of one relation's name."""
    return name.lower()


def is_named(relation: str, name: str) -> bool:
    """Return whether a name, with or without its schema, means a relation.

    Each may be quoted.
    """
    parts = relation_key(relation.replace("`", "")).split(".")
    wanted = relation_key(name.replace("`", "")).split(".")
    return parts[-len(wanted) :] == wanted


def function_key(parts: tuple[str, ...], namespace: tuple[str, ...]) -> str:
    """Return a function's name as quoted SQL, which is also its key.

    The namespace completes a name of one part. It is empty for a text in which a temporary function
    may be called.
    """
    parts = (*namespace, *parts) if len(parts) == 1 else parts
    return ".".join(quote(part.lower()) for part in parts)


def quote(identifier: str) -> str:
    """Return an identifier in backticks."""
    return "`" + identifier.replace("`", "``") + "`"
