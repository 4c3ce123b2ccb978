"""A state that is only appended to: the view adds up its rows.

The change of a summary table is a summary table itself. It is appended to the table's rows instead
of merged into them, and each read merges it.

Source: Mumick, Quass, Mumick, "Maintenance of data cubes and summary tables in a warehouse" (SIGMOD
1997), summary-delta tables.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Filter, Item, Node
from dbt.adapters.ivm_spark.algebra.types import cast_as
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
    """Return whether changes can be appended.

    Each value must be the sum of its changes, and no change may depend on the stored rows.
    """
    return all(a.kind in _ADDITIVE and not a.tight for a in accumulators)


def summed(rows: Node, keys: tuple[str, ...], accumulators: tuple[Accumulator, ...]) -> Node:
    """Return one row a key: the accumulators and `__ivm_count` of all its rows, added up.

    Groups whose rows are all deleted are left out. A negative count raises. Without keys there is
    exactly one row.

    Args:
        rows: a relation with these columns.
        keys: the columns of the key.
        accumulators: the columns to add up.
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
        # A partial sum of bigints may need more than a bigint.
        total = exp.Sum(this=exp.cast(value, "decimal(20,0)") if accumulator.wide else value)
    present = exp.Sum(this=column(accumulator.counter))
    return null_without(present, cast_as(or_zero(total), accumulator.type_name))
