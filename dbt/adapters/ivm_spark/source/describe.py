"""Turns DESCRIBE into a relation: its kind, its columns, the text of a view."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import Relation, RelationKind
from dbt.adapters.ivm_spark.source.commit import TRACKING

Row = Mapping[str, Any]
_MAPPING = ("delta.columnMapping.", "delta.feature.columnMapping=", "delta.minReaderVersion=2")
_VECTORS = "delta.feature.deletionVectors="
_FACTS = "# Detailed Table Information"
_FORMATS = frozenset({"avro", "csv", "json", "orc", "parquet", "text", "xml"})
"""Formats of files that Spark lists and reads itself."""
_VERSION = "format-version"
_STORAGE = ("Location", "Provider", "Storage Properties", "Table Properties")
"""What DESCRIBE says of a table of files that its rows depend on, besides the files."""


def relation_from(name: str, rows: Sequence[Row]) -> Relation:
    """Return the relation that the rows of DESCRIBE TABLE EXTENDED describe.

    The rows have the columns col_name, data_type and comment. `name` is the relation's quoted name.
    A view has no text yet: see `with_text`.
    """
    columns: list[tuple[str, str]] = []
    facts: dict[str, str] = {}
    # Every column has a type; a heading has none. A partition column may be named like a fact.
    below, section = False, ""
    for row in rows:
        key, value = str(row["col_name"] or ""), str(row["data_type"] or "")
        if not value:
            below = True
            section = key if key.startswith("# ") else section
        elif below and section == _FACTS:
            facts.setdefault(key, value)
        elif below:
            continue
        else:
            columns.append((key, value))
    properties = facts.get("Table Properties", "").strip("[]").split(",")
    kind = _kind(name, facts, columns)
    files = kind is RelationKind.FILES
    return Relation(
        name,
        kind,
        tuple(columns),
        feed="delta.enableChangeDataFeed=true" in properties,
        tracked=f"{TRACKING}=true" in properties,
        mapped=any(p.startswith(_MAPPING) for p in properties),
        vectors=any(p.startswith(_VECTORS) for p in properties),
        format=facts["Provider"].lower() if files else "",
        storage="\n".join(f"{key}: {facts.get(key, '')}" for key in _STORAGE) if files else "",
    )


def with_text(relation: Relation, described: str) -> Relation:
    """Return a view with its text, from the one column of DESCRIBE TABLE EXTENDED ... AS JSON."""
    facts = json.loads(described)
    namespace = str(facts.get("view_catalog_and_namespace") or "")
    parts = [p.strip("`") for p in namespace.split(".")]
    settings = facts.get("view_creation_spark_configuration") or {}
    return Relation(
        name=relation.name,
        kind=RelationKind.VIEW,
        columns=relation.columns,
        text=str(facts.get("view_text") or ""),
        namespace=tuple(parts[1:] if len(parts) > 1 else parts),
        text_columns=tuple(facts.get("view_query_output_columns") or ()),
        settings=tuple(sorted((str(k), str(v)) for k, v in settings.items())),
    )


def _is_whole_table(name: str, facts: Mapping[str, str]) -> bool:
    """Return whether a name of Iceberg's is that of a table.

    A branch and a tag (`t.branch_b`) have the table's name, and a table of metadata (`t.files`) has
    no version of the format.
    """
    said = facts.get("Name", "").replace("`", "").removeprefix("spark_catalog.")
    same = said.lower() == name.replace("`", "").lower()
    return same and f"{_VERSION}=" in facts.get("Table Properties", "")


def _kind(name: str, facts: Mapping[str, str], columns: Sequence[tuple[str, str]]) -> RelationKind:
    if facts.get("Type", "").upper() == "VIEW":
        return RelationKind.VIEW
    provider = facts.get("Provider", "").lower()
    if provider == "delta":
        return RelationKind.DELTA
    if provider == "iceberg":
        whole = _is_whole_table(name, facts)
        return RelationKind.ICEBERG if whole else RelationKind.OTHER
    # A column of this name hides what Spark says of the files.
    hidden = any(name.lower() == "_metadata" for name, _ in columns)
    return RelationKind.FILES if provider in _FORMATS and not hidden else RelationKind.OTHER
