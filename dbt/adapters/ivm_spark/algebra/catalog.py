"""What is known of the relations that a query reads: columns, and the text of views."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from sqlglot import exp


class RelationKind(str, Enum):
    """What a relation is to a refresh."""

    DELTA = "delta"
    VIEW = "view"
    OTHER = "other"


@dataclass(frozen=True)
class Relation:
    """A relation as Spark's DESCRIBE shows it.

    columns: (name, Spark type) in order; feed: whether its change feed is on; mapped: whether its
    columns can, or once could, be renamed and dropped. For a view also its text, the namespace in
    which the text's names are looked up, the output columns of the text that the view's columns
    take (by name), and the session settings that it was created under, as Spark keeps them.
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


@dataclass(frozen=True)
class Catalog:
    """Relations by key (see `relation_key`) and the schema that unqualified names mean."""

    relations: dict[str, Relation] = field(default_factory=dict)
    schema: tuple[str, ...] = ("default",)


def name_parts(table: exp.Table) -> tuple[str, ...]:
    """The parts of a table's name as a text has them."""
    return tuple(part.name for part in table.parts)


def relation_name(parts: tuple[str, ...], namespace: tuple[str, ...]) -> str:
    """The relation's name as quoted SQL, completed by the namespace and without the catalog
    that every Spark session has."""
    if len(parts) == 1:
        parts = (*namespace, *parts)
    if len(parts) == 3 and parts[0].lower() == "spark_catalog":
        parts = parts[1:]
    return ".".join(quote(part) for part in parts)


def relation_key(name: str) -> str:
    """What two spellings of one relation's name have in common."""
    return name.lower()


def quote(identifier: str) -> str:
    """An identifier in backticks."""
    return "`" + identifier.replace("`", "``") + "`"
