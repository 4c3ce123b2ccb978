"""The dbt nodes that build the sources, and how their next run changes a table's properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.commands.doctor.facts import KeyFacts
from dbt.adapters.ivm_spark.plan.constraints import constraints_of
from dbt.adapters.ivm_spark.plan.declared_keys import primary_keys_of

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
    """The node or source of the project behind a relation.

    Attributes:
        name: its name for dbt's --select.
        kind: its materialization, empty for a source.
        properties: its tblproperties.
        keys: the primary keys that its constraints declare.
    """

    name: str
    kind: str
    properties: Mapping[str, str]
    keys: tuple[tuple[str, ...], ...]


def parents_of(nodes: Iterable[Mapping[str, Any]]) -> dict[str, Parent]:
    """Return parents by the key of their relation.

    nodes: what the macro `ivm_doctor` says of each node, with the keys name, relation (quoted),
    kind, tblproperties, constraints and columns.
    """
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
    """Return the properties of a table that the next run of its parent does not set again.

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
    """Return the declared keys of a relation (quoted name).

    The parent's constraints declare keys, and so does the model's config `primary_keys`, which
    names the relation with or without its schema.
    """
    said = [KeyFacts(columns, "a constraint") for columns in (parent.keys if parent else ())]
    said += [KeyFacts(key, "primary_keys") for key in primary_keys_of(relation, primary_keys)]
    return tuple(said)


def _keys(node: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    found = (tuple(columns) for columns, _ in constraints_of(node, "primary_key"))
    return tuple(dict.fromkeys(columns for columns in found if columns))
