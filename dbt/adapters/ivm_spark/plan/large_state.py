"""The settings of refreshes whose state has many rows. Pure.

A MERGE without deletion vectors rewrites every file in which it changes a row. To do so, it joins
all rows of these files. For a small state that is one small file and the faster way. For a large
state it takes most of a refresh's time.

A transaction of the adapter's own replaces rows by deletion vectors. That is faster for any state
that the transaction does not rewrite as a whole.
"""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.rewrite import is_rewritten
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration

LARGE_ROWS = 2_000_000
"""Rows of a state from which on a MERGE with deletion vectors is faster than one without."""
PROPERTIES = {"delta.enableDeletionVectors": "true"}
TIDY_EVERY = 50
"""Refreshes of a large state after which its small files become one again. Each refresh adds some;
a MERGE without vectors would rewrite the old files. An INSERT into a state of any size that stores
the view row by row adds small files too."""
TIDY = {"spark.databricks.delta.autoCompact.enabled": "true"}
"""Session settings of such a refresh. As a property of the table, the setting would rewrite a file
as soon as it has a vector, which is at each refresh."""


def is_large(rows: int) -> bool:
    """Return whether a state of so many rows is large; `rows` is 0 if it is not known."""
    return rows >= LARGE_ROWS


def is_exchanged(layout: Layout, state_rows: int, table: Configuration) -> bool:
    """Return whether a transaction replaces rows of such a state, if it may change the state.

    `table` is the model's configuration of the table; it may refuse deletion vectors.
    """
    said = _said(table)
    refused = any(said.get(key.lower(), value) != value for key, value in PROPERTIES.items())
    return not (refused or layout.appended or layout.whole or is_rewritten(state_rows))


def for_large(table: Configuration) -> Configuration:
    """Return the configuration of a large state's table.

    It adds the properties that the model does not set itself.

    Source: Delta's documentation, "What are deletion vectors?".
    """
    said = _said(table)
    added = {key: value for key, value in PROPERTIES.items() if key.lower() not in said}
    return replace(table, properties={**table.properties, **added})


def _said(table: Configuration) -> dict[str, str]:
    """Return the properties that the model sets itself, in lower case."""
    return {key.lower(): value.lower() for key, value in table.properties.items()}


def tidying(refresh: int) -> dict[str, str]:
    """Return the settings that the refresh of that number adds to its own."""
    return TIDY if refresh % TIDY_EVERY == 0 else {}


def grown(alteration: Alteration, said: Configuration) -> Alteration:
    """Return the alteration of a table whose state has become large.

    It adds the properties of a large state to the given alteration. `said` is the model's
    configuration of the table.
    """
    added = for_large(said).properties.items() - said.properties.items()
    return replace(alteration, properties={**alteration.properties, **dict(sorted(added))})
