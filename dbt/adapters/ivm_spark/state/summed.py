"""A state that is only appended to: what its rows add up to.

The change of a summary table is a summary table itself (Mumick, Quass, Mumick, "Maintenance of data
cubes and summary tables in a warehouse", SIGMOD 1997, summary-delta tables): added to the table's
rows instead of merged into them, it is merged by who reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Filter, Item, Node
from dbt.adapters.ivm_spark.state.accumulators import (
    COUNT,
    Accumulator,
    Kind,
    checked,
    null_without,
    or_zero,
)

_ADDITIVE = (Kind.COUNT, Kind.SUM, Kind.XOR)


def is_additive(accumulators: Iterable[Accumulator]) -> bool:
    """Whether changes can be appended: each value is the sum of its changes, and no change needs
    to know what is there."""
    return all(a.kind in _ADDITIVE and not a.tight for a in accumulators)


def summed(rows: Node, keys: tuple[str, ...], accumulators: tuple[Accumulator, ...]) -> Node:
    """One row a key: the accumulators and `__ivm_count` of all rows of the key added up.

    rows: relation with these columns; without keys there is exactly one row. Groups whose rows are
    all gone are left out; a negative count raises.
    """
    items = [Item(a.name, _total(a)) for a in accumulators]
    items.append(Item(COUNT, checked(exp.Sum(this=column(COUNT)))))
    groups = Aggregate(rows, passed(keys), tuple(items))
    if not keys:
        return groups
    return Filter(groups, exp.NEQ(this=column(COUNT), expression=exp.Literal.number(0)))


def _total(accumulator: Accumulator) -> exp.Expr:
    value = column(accumulator.name)
    if accumulator.kind is Kind.COUNT:
        return checked(exp.Sum(this=value))
    if accumulator.kind is Kind.XOR:
        total: exp.Expr = exp.Anonymous(this="bit_xor", expressions=[value])
    else:
        # On the way a sum of bigints may need more than one.
        total = exp.Sum(this=exp.cast(value, "decimal(20,0)") if accumulator.wide else value)
    present = exp.Sum(this=column(accumulator.counter))
    return null_without(present, exp.cast(or_zero(total), accumulator.type_name))
