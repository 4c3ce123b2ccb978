"""One MERGE brings a delta into a state that stores the view row by row.

The MERGE deletes the rows that the view loses, and inserts those that it gains. If the view loses
nothing, which the materialized change shows, an INSERT does the same without reading the state.

The MERGE is the delete and the insert step of a join view's fast refresh in one statement, on bags.
Several rows of the state may be equal, so the MERGE first looks up the rows that the view loses. It
deletes all their copies, and inserts the copies that are left as one row.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.materialized import (
    Materialized,
    materialized_name,
    temporary,
)
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Generate,
    Item,
    Limit,
    Node,
    Project,
    RuntimeFilter,
    Scan,
    SemiJoin,
    UnionAll,
)
from dbt.adapters.ivm_spark.state.accumulators import COUNT, checked
from dbt.adapters.ivm_spark.state.change import grouped_change
from dbt.adapters.ivm_spark.state.layout import STATE, Layout
from dbt.adapters.ivm_spark.state.matched import keys_met, of_source, same_key
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.state.target import Target

GONE = "__ivm_gone"
"""Whether a row of the source deletes the equal rows of the state; otherwise it is inserted."""
_NET, _FOUND, _LOST = "__ivm_net", "__ivm_found", "__ivm_lost_"


def replace_rows(layout: Layout, delta: Node, target: Target) -> Merge:
    """Return the MERGE of a delta of `layout.input` into a state that is stored row by row.

    Its source has the state's columns and `__ivm_gone`. A row of the state matches at most one row
    of the source, and an inserted row matches none. The MERGE raises if the view loses more copies
    of a row than the state has.
    """
    grouped = grouped_change(layout, delta, False)
    materialized = Materialized(materialized_name("change", target.token), grouped)
    keys = tuple(key.name for key in layout.keys)
    change = temporary(materialized.name, (*keys, COUNT))
    lost = Filter(change, negative(COUNT))
    met = keys_met(layout, target, lost)
    found = _found(keys, target.state, change, met)
    return Merge(
        source=_sides(_summed(keys, change, found), keys),
        on=exp.and_(of_source(GONE), same_key(layout)),
        delete_when=of_source(GONE),
        update_when=None,
        updates=(),
        insert_when=exp.Not(this=of_source(GONE)),
        inserts=tuple((name, of_source(name)) for name in (*keys, COUNT)),
        materialized=(materialized,),
        met=met,
        loses=Limit(Project(lost, (Item("lost", exp.true()),)), exp.Literal.number(1)),
        gains=Project(change, passed((*keys, COUNT))),
        meets=Project(lost, (*passed(keys), Item(GONE, exp.true()))),
        found=found,
    )


def _found(keys: tuple[str, ...], state: str, change: Scan, met: tuple[RuntimeFilter, ...]) -> Node:
    """Return the rows of the state that are equal to a row that the view loses."""
    stored: Node = Scan(state, STATE, tuple((name, name) for name in (*keys, COUNT)))
    for near in met:
        stored = replace(near, input=stored)
    lost = Filter(
        replace(change, fields=tuple((_LOST + name, name) for name in (*keys, COUNT))),
        negative(_LOST + COUNT),
    )
    same = (exp.NullSafeEQ(this=column(k), expression=column(_LOST + k)) for k in keys)
    return SemiJoin(stored, lost, tuple(same))


def _summed(keys: tuple[str, ...], change: Node, found: Node) -> Node:
    """Return each changed row once, with its net number of copies.

    For a row that loses copies, it has the number of copies in the state too.
    """
    zero = exp.Literal.number(0)
    parts = (
        Project(change, (*passed(keys), Item(_NET, column(COUNT)), Item(_FOUND, zero))),
        Project(found, (*passed(keys), Item(_NET, zero.copy()), Item(_FOUND, column(COUNT)))),
    )
    sums = tuple(Item(name, exp.Sum(this=column(name))) for name in (_NET, _FOUND))
    return Aggregate(UnionAll(parts), passed(keys), sums)


def _sides(summed: Node, keys: tuple[str, ...]) -> Node:
    """Return the rows to delete and the rows to insert.

    A row that loses copies is deleted, and inserted again if some are left.
    """
    left = checked(exp.Add(this=column(_NET), expression=column(_FOUND)))
    counted = Project(summed, (*passed(keys), Item(COUNT, left), *passed((_NET,))))
    sides = exp.Explode(this=exp.Anonymous(this="array", expressions=[exp.true(), exp.false()]))
    comes = exp.GT(this=column(COUNT), expression=exp.Literal.number(0))
    some = exp.If(this=column(GONE), true=negative(_NET), false=comes)
    return Project(Filter(Generate(counted, sides, (GONE,)), some), passed((*keys, COUNT, GONE)))


def negative(name: str) -> exp.Expr:
    """Return the condition that a column is below 0."""
    return exp.LT(this=column(name), expression=exp.Literal.number(0))
