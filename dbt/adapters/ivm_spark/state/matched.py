"""Which rows of a state a change meets: those with its keys, and what is known of these before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.physical.runtime_filters import RANGED, Answers, Question, in_ranges
from dbt.adapters.ivm_spark.state.layout import WHOLE, Layout

ASKED = 3
"""Columns of a key of which the ranges are asked for."""


def of_target(name: str) -> exp.Column:
    """A column of the state in a MERGE."""
    return exp.column(name, table="t", quoted=True)


def of_source(name: str) -> exp.Column:
    """A column of the MERGE's source."""
    return exp.column(name, table="s", quoted=True)


def same_key(layout: Layout) -> exp.Expr:
    """That a row of the state and one of the MERGE's source have one key."""
    if layout.whole:
        return exp.EQ(this=of_target(WHOLE), expression=of_source(WHOLE))
    return exp.and_(
        *(exp.NullSafeEQ(this=of_target(k.name), expression=of_source(k.name)) for k in layout.keys)
    )


def keys_met(layout: Layout, change: Node, types: Mapping[str, str]) -> tuple[Question, ...]:
    """Which keys the change has, of the first columns of the state's key that have an order."""
    names = [k.name for k in layout.keys if types.get(k.name) in RANGED]
    return tuple(Question(change, name, types[name]) for name in names[:ASKED])


def within(
    met: Sequence[Question], answers: Answers, stored: Callable[[str], exp.Expr]
) -> list[exp.Expr]:
    """What the rows of the state that the change can meet have in common, in literals, by which
    files and row groups are left out; it follows from the equality with the change's keys.

    stored: a column of the state by its name.
    """
    if not all(question in answers for question in met):
        return []
    common = (in_ranges(stored(question.key), question, answers[question]) for question in met)
    return [exp.paren(condition) for condition in common if condition is not None]
