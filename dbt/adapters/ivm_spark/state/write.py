"""What brings a delta into a state: a MERGE, or an INSERT where no stored row is met."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical.runtime_filters import Answers
from dbt.adapters.ivm_spark.sql.scans import Binding
from dbt.adapters.ivm_spark.state.append import Append, append
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.state.merge import Merge, merge
from dbt.adapters.ivm_spark.state.replace_rows import replace_rows


def write(
    layout: Layout,
    delta: Node,
    state: str,
    bind: Binding,
    insert_only: bool,
    compact: bool = False,
    changed: Mapping[str, int] | None = None,
    sources: Mapping[str, SourceFacts] | None = None,
    answers: Answers | None = None,
    token: str = "",
    large: Mapping[str, str] | None = None,
) -> Merge | Append:
    """The statement for a delta of `layout.input`; the arguments as for `merge` and `append`."""
    known = (changed, sources, answers, token)
    if layout.appended or only_adds(layout, insert_only):
        return append(layout, delta, state, bind, insert_only, compact, *known)
    if layout.style is Style.ROWS:
        return replace_rows(layout, delta, state, bind, *known, large)
    return merge(layout, delta, state, bind, insert_only, *known, large)


def only_adds(layout: Layout, insert_only: bool) -> bool:
    """Whether the view is stored row by row and only gains rows, where its sources do or not."""
    return layout.style is Style.ROWS and insert_only and is_monotone(layout.input)


def inserts(layout: Layout, insert_only: bool) -> bool:
    """Whether a refresh is an INSERT, which looks for no row of the state."""
    return layout.appended or only_adds(layout, insert_only)
