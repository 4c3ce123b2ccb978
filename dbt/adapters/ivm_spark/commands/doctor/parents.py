"""The dbt nodes that build the sources, and what their next run does to a table's properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.commands.doctor.facts import KeyFacts

_WRITTEN_ANEW = ("table", "seed")
_SESSION = "spark.databricks.delta.properties.defaults."
_OF_DELTA = (
    "delta.feature.",
    "delta.minReaderVersion",
    "delta.minWriterVersion",
    "delta.columnMapping.maxColumnId",
    "delta.rowTracking.materialized",
)
"""Properties that Delta sets itself."""


@dataclass(frozen=True)
class Parent:
    """A node of the project, or one of its sources, behind a relation.

    name: as dbt's --select knows it; kind: its materialization, empty for a source; properties:
    its tblproperties; keys: the primary keys that its constraints declare.
    """

    name: str
    kind: str
    properties: Mapping[str, str]
    keys: tuple[tuple[str, ...], ...]


def parents_of(nodes: Iterable[Mapping[str, Any]]) -> dict[str, Parent]:
    """Parents by the key of their relation, from what the macro `ivm_doctor` says of each node:
    name, relation (quoted), kind, tblproperties, constraints, columns."""
    return {
        relation_key(str(node["relation"])): Parent(
            name=str(node["name"]),
            kind=str(node["kind"]),
            properties={str(k): str(v) for k, v in (node["tblproperties"] or {}).items()},
            keys=_keys(node),
        )
        for node in nodes
    }


def dropped(
    parent: Parent | None, properties: Mapping[str, str], session: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The properties of a table that the next run of its parent does not set again.

    session: its settings, among them the properties that Delta gives to every new table.
    """
    if parent is None or parent.kind not in _WRITTEN_ANEW:
        return ()
    again = {name.lower() for name in parent.properties}
    again |= {
        f"delta.{key.removeprefix(_SESSION)}".lower() for key in session if key.startswith(_SESSION)
    }
    return tuple(
        (name, value)
        for name, value in sorted(properties.items())
        if name.startswith("delta.")
        and not name.startswith(_OF_DELTA)
        and name.lower() not in again
    )


def keys_of(
    relation: str, parent: Parent | None, primary_keys: Mapping[str, tuple[str, ...]]
) -> tuple[KeyFacts, ...]:
    """The keys that are declared of a relation (quoted name): by its parent's constraints, and by
    the model's config, which names it with or without its schema."""
    said = [KeyFacts(columns, "a constraint") for columns in (parent.keys if parent else ())]
    parts = relation_key(relation.replace("`", "")).split(".")
    for name, columns in primary_keys.items():
        wanted = relation_key(name.replace("`", "")).split(".")
        if parts[-len(wanted) :] == wanted:
            said.append(KeyFacts(tuple(columns), "primary_keys"))
    return tuple(said)


def _keys(node: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    found = [
        tuple(str(name) for name in constraint.get("columns") or ())
        for constraint in node["constraints"] or ()
        if _is_key(constraint)
    ]
    for name, column in (node["columns"] or {}).items():
        if any(_is_key(constraint) for constraint in column.get("constraints") or ()):
            found.append((str(name),))
    return tuple(columns for columns in found if columns)


def _is_key(constraint: Mapping[str, Any]) -> bool:
    kind = constraint.get("type")
    return str(getattr(kind, "value", kind)) == "primary_key"
