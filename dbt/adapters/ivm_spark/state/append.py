"""How a delta is added to a state without a look at what is there: one INSERT of grouped changes.

So is every change of a state that is only appended to, and of one that stores the view row by row
what it only gains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.tree import Filter, Item, Node, Project, Scan, UnionAll
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical.runtime_filters import Answers, Question, questions
from dbt.adapters.ivm_spark.sql.scans import Binding
from dbt.adapters.ivm_spark.state.accumulators import COUNT, checked, or_zero
from dbt.adapters.ivm_spark.state.change import grouped_change
from dbt.adapters.ivm_spark.state.fill import state_column
from dbt.adapters.ivm_spark.state.layout import STATE, Layout, Style
from dbt.adapters.ivm_spark.state.statement import prepared, statement
from dbt.adapters.ivm_spark.state.summed import summed


@dataclass(frozen=True)
class Append:
    """The rows that an INSERT adds to the state, or that replace it: `source` has the state's
    `columns` in their order. kept and asks as for a MERGE."""

    kept: tuple[tuple[str, exp.Query], ...]
    asks: tuple[tuple[Question, ...], ...]
    source: exp.Query
    columns: tuple[str, ...]
    overwrite: bool


def append(
    layout: Layout,
    delta: Node,
    state: str,
    bind: Binding,
    insert_only: bool,
    compact: bool,
    changed: Mapping[str, int] | None = None,
    sources: Mapping[str, SourceFacts] | None = None,
    answers: Answers | None = None,
    token: str = "",
) -> Append:
    """The INSERT of a delta of `layout.input`.

    compact: the state's rows and the change are added up, one row a key, and take the state's
    place; the others as for `merge`. A group that the change leaves as it is has no row.
    """
    kept, relation, few = prepared(delta, changed, sources, token)
    change = grouped_change(layout, relation, insert_only and is_monotone(layout.input))
    keys = tuple(key.name for key in layout.keys)
    names = (*keys, *(a.name for a in layout.accumulators), COUNT)
    rows: Node = Project(Filter(change, _some(layout)), _typed(layout))
    if compact:
        stored = Scan(state, STATE, tuple((name, name) for name in names))
        rows = summed(UnionAll((stored, rows)), keys, layout.accumulators)
    rows = Project(rows, tuple(map(state_column, layout.columns)))

    final = partial(statement, bind=bind, changed=few, answers=answers)
    return Append(
        kept=tuple((k.name, final(k.relation)) for k in kept),
        asks=(*(tuple(questions(k.relation)) for k in kept), tuple(questions(change))),
        source=final(rows),
        columns=layout.columns,
        overwrite=compact,
    )


def _some(layout: Layout) -> exp.Expr:
    """Whether anything of a group changes."""
    names = (*(a.name for a in layout.accumulators), COUNT)
    zero = exp.Literal.number(0)
    return exp.or_(*(exp.NEQ(this=or_zero(column(n)), expression=zero.copy()) for n in names))


def _typed(layout: Layout) -> tuple[Item, ...]:
    """The change's columns as the state has them. Rows that are stored row by row are not added up
    where they are read, so that none must be taken back."""
    count = checked(column(COUNT)) if layout.style is Style.ROWS else column(COUNT)
    return (
        *passed(key.name for key in layout.keys),
        *(Item(a.name, exp.cast(column(a.name), a.type_name)) for a in layout.accumulators),
        Item(COUNT, count),
    )
