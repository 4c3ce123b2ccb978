"""How a delta is merged into a state that stores the view row by row: what is lost goes, what is
gained comes, in one MERGE; where nothing is lost, which is seen once the change is kept, in one
INSERT, which does not look at the state.

The delete and the insert step of a join view's fast refresh in one statement, on bags: several
rows of the state may be equal, so those that the view loses are looked up first. All of them go,
and as many copies as are left come back as one row.
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
"""Whether a row of the source takes the equal ones out of the state; else it comes into it."""
_NET, _FOUND, _LOST = "__ivm_net", "__ivm_found", "__ivm_lost_"


def replace_rows(layout: Layout, delta: Node, target: Target) -> Merge:
    """Return the MERGE of a delta of `layout.input` into a state that is stored row by row.

    Its source has the state's columns and `__ivm_gone`. A row of the state meets at most one row of
    it, and a row that comes meets none. It raises if the view loses more copies of a row than the
    state has.
    """
    grouped = grouped_change(layout, delta, False)
    materialized = Materialized(materialized_name("change", target.token), grouped)
    keys = tuple(key.name for key in layout.keys)
    change = temporary(materialized.name, (*keys, COUNT))
    met = keys_met(layout, target, Filter(change, negative(COUNT)))
    return Merge(
        source=_sides(_summed(keys, change, _found(keys, target.state, change, met)), keys),
        on=exp.and_(of_source(GONE), same_key(layout)),
        delete_when=of_source(GONE),
        update_when=None,
        updates=(),
        insert_when=exp.Not(this=of_source(GONE)),
        inserts=tuple((name, of_source(name)) for name in (*keys, COUNT)),
        materialized=(materialized,),
        met=met,
        loses=Aggregate(change, (), (Item("lost", _lost()),)),
        gains=Project(change, passed((*keys, COUNT))),
    )


def _found(keys: tuple[str, ...], state: str, change: Scan, met: tuple[RuntimeFilter, ...]) -> Node:
    """The rows of the state that are equal to a row which the view loses."""
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
    """Each row that changes, once: by how many copies, and how many the state has of it where some
    are lost."""
    zero = exp.Literal.number(0)
    parts = (
        Project(change, (*passed(keys), Item(_NET, column(COUNT)), Item(_FOUND, zero))),
        Project(found, (*passed(keys), Item(_NET, zero.copy()), Item(_FOUND, column(COUNT)))),
    )
    sums = tuple(Item(name, exp.Sum(this=column(name))) for name in (_NET, _FOUND))
    return Aggregate(UnionAll(parts), passed(keys), sums)


def _sides(summed: Node, keys: tuple[str, ...]) -> Node:
    """The rows that go and those that come: of a row that loses copies one that goes, and one that
    comes if some are left."""
    left = checked(exp.Add(this=column(_NET), expression=column(_FOUND)))
    counted = Project(summed, (*passed(keys), Item(COUNT, left), *passed((_NET,))))
    sides = exp.Explode(this=exp.Anonymous(this="array", expressions=[exp.true(), exp.false()]))
    comes = exp.GT(this=column(COUNT), expression=exp.Literal.number(0))
    some = exp.If(this=column(GONE), true=negative(_NET), false=comes)
    return Project(Filter(Generate(counted, sides, (GONE,)), some), passed((*keys, COUNT, GONE)))


def _lost() -> exp.Expr:
    return exp.Count(this=exp.Case(ifs=[exp.If(this=negative(COUNT), true=column(COUNT))]))


def negative(name: str) -> exp.Expr:
    """That a column is below 0."""
    return exp.LT(this=column(name), expression=exp.Literal.number(0))
