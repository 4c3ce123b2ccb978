"""How an incremental refresh changes a state: one technique a view (DESIGN section 6)."""

from __future__ import annotations

from dbt.adapters.ivm_spark.plan.plan import Technique
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.view.tree import Window
from dbt.adapters.ivm_spark.view.walk import walk


def technique_of(layout: Layout) -> Technique:
    """How an incremental refresh changes a state of this layout."""
    if layout.appended:
        return Technique.APPEND
    if layout.style is not Style.GROUPS:
        windowed = any(isinstance(node, Window) for node in walk(layout.input))
        return Technique.AFFECTED_PARTITIONS if windowed else Technique.ROW_BASED
    return Technique.AFFECTED_GROUPS if layout.recomputes else Technique.GROUP_AGGREGATE
