"""What is done differently where a state has many rows. Pure.

A MERGE without deletion vectors writes every file anew of which it changes a row, and joins all
their rows to do so. For a small state that is one small file and the faster way; for a large one
most of what a refresh takes.
"""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration

LARGE_ROWS = 2_000_000
"""Rows of a state from which on a MERGE with deletion vectors is faster than one without."""
PROPERTIES = {"delta.enableDeletionVectors": "true"}
TIDY_EVERY = 50
"""Refreshes of a large state after which its small files become one again: each adds some, where
without vectors it would write the old ones anew. So does an INSERT of rows into a state of any
size that stores the view row by row."""
TIDY = {"spark.databricks.delta.autoCompact.enabled": "true"}
"""Session settings of such a refresh. As a property of the table it would write a file anew as soon
as it has a vector, which is each time."""


def is_large(rows: int) -> bool:
    """Whether a state of so many rows, 0 if that is not known, is a large one."""
    return rows >= LARGE_ROWS


def for_large(table: Configuration) -> Configuration:
    """The configuration of a large state's table: what the model does not say itself is added.

    Source: Delta's documentation, "What are deletion vectors?".
    """
    said = {key.lower() for key in table.properties}
    added = {key: value for key, value in PROPERTIES.items() if key.lower() not in said}
    return replace(table, properties={**table.properties, **added})


def tidying(refresh: int) -> dict[str, str]:
    """The settings under which the refresh of that number runs besides its own."""
    return TIDY if refresh % TIDY_EVERY == 0 else {}


def grown(alteration: Alteration, said: Configuration) -> Alteration:
    """The alteration that a state's table needs, when it has become large, with what it needs for
    that; said: its configuration by the model."""
    added = for_large(said).properties.items() - said.properties.items()
    return replace(alteration, properties={**alteration.properties, **dict(sorted(added))})
