"""What brings a delta into a state: a MERGE, or an INSERT, which looks up no stored row."""

from __future__ import annotations

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.state.insert import Insert, insert
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.state.merge import Merge, merge
from dbt.adapters.ivm_spark.state.replace_rows import replace_rows
from dbt.adapters.ivm_spark.state.target import Target


def write(layout: Layout, delta: Node, target: Target, insert_only: bool) -> Merge | Insert:
    """Return the statement for a delta of `layout.input`.

    Args:
        layout: of the state.
        delta: of `layout.input`.
        target: the state to write into.
        insert_only: the sources only gained rows.
    """
    if inserts(layout, insert_only):
        return insert(layout, delta, target, insert_only)
    if layout.style is Style.ROWS:
        return replace_rows(layout, delta, target)
    return merge(layout, delta, target, insert_only)


def only_adds(layout: Layout, insert_only: bool) -> bool:
    """Return whether the view is stored row by row and only gains rows.

    Args:
        layout: of the state.
        insert_only: the sources only gained rows.
    """
    return layout.style is Style.ROWS and insert_only and is_monotone(layout.input)


def inserts(layout: Layout, insert_only: bool) -> bool:
    """Return whether a refresh is an INSERT, which looks up no row of the state."""
    return layout.appended or only_adds(layout, insert_only)
