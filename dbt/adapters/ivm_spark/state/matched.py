"""Which rows of a state a change matches: those with its keys, and what is known of these keys."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.tree import Node, RuntimeFilter, Scan
from dbt.adapters.ivm_spark.algebra.types import ORDERED
from dbt.adapters.ivm_spark.state.layout import STATE, WHOLE, Layout
from dbt.adapters.ivm_spark.state.target import Target

ASKED = 3
"""The most columns of a state's key whose ranges are asked for."""


def of_target(name: str) -> exp.Column:
    """Return a column of the state in a MERGE."""
    return exp.column(name, table="t", quoted=True)


def of_source(name: str) -> exp.Column:
    """Return a column of the MERGE's source."""
    return exp.column(name, table="s", quoted=True)


def same_key(layout: Layout) -> exp.Expr:
    """Return the condition that a row of the state and one of the MERGE's source have one key."""
    if layout.whole:
        return exp.EQ(this=of_target(WHOLE), expression=of_source(WHOLE))
    return exp.and_(
        *(exp.NullSafeEQ(this=of_target(k.name), expression=of_source(k.name)) for k in layout.keys)
    )


def keys_met(layout: Layout, target: Target, change: Node) -> tuple[RuntimeFilter, ...]:
    """Return the runtime filters on the first columns of the state's key, by the change's keys.

    Only columns whose types have an order have one. A state that is not large has none.

    Args:
        layout: of the state.
        target: the state to write into.
        change: has the columns of the state's key, and must be cheap to read.
    """
    types = target.large or {}
    names = [k.name for k in layout.keys if types.get(k.name) in ORDERED][:ASKED]
    stored = Scan(target.state, STATE, tuple((name, name) for name in names))
    return tuple(RuntimeFilter(stored, change, n, n, types[n], null_safe=True) for n in names)
