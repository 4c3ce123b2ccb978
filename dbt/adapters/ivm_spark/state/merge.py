"""One MERGE brings a delta into a state of groups: insert-only, delete-only and mixed changes.

Counts and sums take the delta by addition. An extremum is computed again, from the sources at their
new versions, only for groups that lost the stored extremum and gained no better value.

Source: Mumick, Quass, Mumick, "Maintenance of data cubes and summary tables in a warehouse" (SIGMOD
1997), for counts and sums.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.materialized import Materialized, materialized_name
from dbt.adapters.ivm_spark.algebra.traversal import substitute
from dbt.adapters.ivm_spark.algebra.tree import (
    Broadcast,
    Filter,
    Item,
    Node,
    OuterJoin,
    Project,
    RuntimeFilter,
    Scan,
    SemiJoin,
)
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.state.accumulators import (
    COUNT,
    Accumulator,
    Kind,
    checked,
    null_without,
    or_zero,
)
from dbt.adapters.ivm_spark.state.change import LOST, grouped_change, overflow
from dbt.adapters.ivm_spark.state.fill import fill
from dbt.adapters.ivm_spark.state.insert import Insert
from dbt.adapters.ivm_spark.state.layout import STATE, Layout
from dbt.adapters.ivm_spark.state.matched import keys_met, of_source, of_target, same_key
from dbt.adapters.ivm_spark.state.target import Target

_FRESH, _OLD = "__ivm_fresh_", "__ivm_old_"


@dataclass(frozen=True)
class Merge:
    """A MERGE INTO the state AS t USING `source` AS s, as trees.

    Attributes:
        source: a tree with at most one row for each row of the state.
        on: a condition over t and s.
        delete_when: None if no row can leave the state.
        update_when: None if no row stays and changes.
        updates: (column, value) of the rows that change.
        insert_when: the condition of the source's rows that are inserted.
        inserts: (column, value) of these rows.
        materialized: the relations to compute before the statement, in this order, besides those of
            the delta.
        met: runtime filters on columns of t; they follow from `on`.
        loses: a tree with one row, without any if the state loses no rows; None if it is not worth
            asking.
        gains: rows with the columns of `inserts`; if `loses` has no row, inserting them has the
            same effect.
        meets: materialized rows with the columns of s in `on`; each row of the state that `on`
            matches, matches one of them. None if they are not materialized.
        found: the part of `source` that reads the rows of the state that match `meets`, None if
            `source` reads none.
    """

    source: Node
    on: exp.Expr
    delete_when: exp.Expr | None
    update_when: exp.Expr | None
    updates: tuple[tuple[str, exp.Expr], ...]
    insert_when: exp.Expr
    inserts: tuple[tuple[str, exp.Expr], ...]
    materialized: tuple[Materialized, ...] = ()
    met: tuple[RuntimeFilter, ...] = ()
    loses: Node | None = None
    gains: Node | None = None
    meets: Node | None = None
    found: Node | None = None

    @property
    def insert(self) -> Insert:
        """Return the INSERT that replaces a MERGE which removes nothing from the state."""
        assert self.gains is not None
        columns = tuple(name for name, _ in self.inserts)
        return Insert(self.gains, columns, materialized=self.materialized)


def merge(layout: Layout, delta: Node, target: Target, insert_only: bool) -> Merge:
    """Return the MERGE of a delta of `layout.input` into a state of groups or distinct rows.

    Its source has one row a key, so that no row of the state matches twice.

    Args:
        layout: of the state.
        delta: of `layout.input`.
        target: the state to write into.
        insert_only: the sources only gained rows.
    """
    insert_only = insert_only and is_monotone(layout.input)
    source = grouped_change(layout, delta, insert_only)
    materialized: tuple[Materialized, ...] = ()
    met: tuple[RuntimeFilter, ...] = ()
    meets: Node | None = None
    again = computes_again(layout, insert_only)
    if again or target.large is not None or target.exchanges:
        change = Materialized(materialized_name("change", target.token), source)
        materialized, source, meets = (change,), change.scan, change.scan
        met = keys_met(layout, target, change.scan)
    if again:
        source = _looked_up(layout, source, target, insert_only)
    lookup = _lookup(layout, insert_only)
    updates = [(COUNT, checked(_sum(COUNT)))]
    inserts = [(COUNT, checked(of_source(COUNT)))]
    changes: list[exp.Expr] = [exp.NEQ(this=of_source(COUNT), expression=exp.Literal.number(0))]
    for accumulator in layout.accumulators:
        updated = _updated(accumulator, lookup)
        updates.append((accumulator.name, updated))
        inserts.append((accumulator.name, _inserted(accumulator, lookup)))
        changes.append(_change_of(accumulator, updated))
    inserts.extend((name, of_source(name)) for name in layout.identity)
    keeps_all = insert_only or layout.whole
    return Merge(
        source=source,
        on=same_key(layout),
        delete_when=None
        if keeps_all
        else exp.EQ(this=_sum(COUNT), expression=exp.Literal.number(0)),
        update_when=exp.or_(*changes, wrap=True),
        updates=tuple(updates),
        insert_when=exp.NEQ(this=of_source(COUNT), expression=exp.Literal.number(0)),
        inserts=tuple(inserts),
        materialized=materialized,
        met=met,
        meets=meets,
    )


def computes_again(layout: Layout, insert_only: bool) -> bool:
    """Return whether groups are computed again from the sources.

    These are all changed groups, or those that may have lost an extremum.

    Args:
        layout: of the state.
        insert_only: the view's input only gained rows.
    """
    return layout.recomputes or (bool(_extrema(layout)) and not insert_only)


def _sum(name: str) -> exp.Expr:
    """Return the new value of a count."""
    return exp.Add(this=of_target(name), expression=of_source(name))


def _change_of(accumulator: Accumulator, updated: exp.Expr) -> exp.Expr:
    """Return the condition that the value of an accumulator really changes.

    If a sum becomes NULL or ceases to be NULL, its counter shows it.
    """
    if accumulator.kind in (Kind.COUNT, Kind.SUM):
        return exp.NEQ(this=of_source(accumulator.name), expression=exp.Literal.number(0))
    same = exp.NullSafeEQ(this=of_target(accumulator.name), expression=updated.copy())
    return exp.Not(this=exp.paren(same))


def _lookup(layout: Layout, insert_only: bool) -> frozenset[Kind]:
    """Return the kinds of accumulators whose value may come from the recomputed groups."""
    if insert_only:
        return frozenset({Kind.RECOMPUTED})
    return frozenset({Kind.RECOMPUTED, Kind.MIN, Kind.MAX})


def _updated(accumulator: Accumulator, lookup: frozenset[Kind]) -> exp.Expr:
    name = accumulator.name
    if accumulator.kind is Kind.RECOMPUTED:
        return of_source(_FRESH + name)
    if accumulator.kind is Kind.COUNT:
        return checked(_sum(name))
    if accumulator.kind is Kind.SUM:
        stored = or_zero(of_target(name))
        if accumulator.tight:
            none = exp.EQ(this=of_target(accumulator.counter), expression=exp.Literal.number(0))
            zero = exp.If(this=none, true=exp.Literal.number(0))
            stored = exp.Case(ifs=[zero], default=of_target(name))
        both: exp.Expr = exp.Add(this=stored, expression=or_zero(of_source(name)))
        both = cast_as(both, accumulator.type_name)
        if accumulator.tight:
            both = exp.Coalesce(this=both, expressions=[overflow(accumulator)])
        return null_without(_sum(accumulator.counter), both)
    if accumulator.kind is Kind.XOR:
        differing = exp.BitwiseXor(
            this=or_zero(of_target(name)), expression=or_zero(of_source(name))
        )
        value = cast_as(differing, accumulator.type_name)
        return null_without(_sum(accumulator.counter), value)
    return _or_fresh(accumulator, lookup, _extreme(accumulator, of_target(name), of_source(name)))


def _inserted(accumulator: Accumulator, lookup: frozenset[Kind]) -> exp.Expr:
    name = accumulator.name
    if accumulator.kind is Kind.RECOMPUTED:
        return of_source(_FRESH + name)
    if accumulator.kind is Kind.COUNT:
        return of_source(name)
    if accumulator.kind in (Kind.SUM, Kind.XOR):
        value = cast_as(of_source(name), accumulator.type_name)
        return null_without(of_source(accumulator.counter), value)
    return _or_fresh(accumulator, lookup, of_source(name))


def _or_fresh(accumulator: Accumulator, lookup: frozenset[Kind], otherwise: exp.Expr) -> exp.Expr:
    if accumulator.kind not in lookup:
        return otherwise
    found = exp.Not(this=exp.Is(this=of_source(_FRESH + COUNT), expression=exp.null()))
    value = of_source(_FRESH + accumulator.name)
    return exp.Case(ifs=[exp.If(this=found, true=value)], default=otherwise)


def _extreme(accumulator: Accumulator, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    name = "least" if accumulator.kind is Kind.MIN else "greatest"
    return exp.Anonymous(this=name, expressions=[left, right])


def _extrema(layout: Layout) -> list[Accumulator]:
    return [a for a in layout.accumulators if a.kind in (Kind.MIN, Kind.MAX)]


def _looked_up(layout: Layout, change: Node, target: Target, insert_only: bool) -> Node:
    """Return the change joined with those of its groups that are computed again, under a prefix.

    Spark estimates a join with the state to be as large as their product. It would sort and shuffle
    the whole source to join it with a handful of groups. So few groups are broadcast.
    """
    among: Node | None = None if layout.whole else change
    if not layout.recomputes:
        stale = _stale(layout, change, target.state)
        among = None if layout.whole else stale
    names = [a.name for a in layout.accumulators if a.kind in _lookup(layout, insert_only)]
    groups = _fresh(layout, among, target.few)
    fresh: Node = Project(
        groups, tuple(Item(_FRESH + c, column(c)) for c in (*layout.identity, *names, COUNT))
    )
    same = tuple(
        exp.NullSafeEQ(this=column(k), expression=column(_FRESH + k)) for k in layout.identity
    )
    both = OuterJoin(change, Broadcast(fresh) if target.few else fresh, "LEFT", same)
    return Project(both, passed((*change.columns, *(_FRESH + c for c in (*names, COUNT)))))


def _stale(layout: Layout, change: Node, state: str) -> Node:
    """Return the keys of the groups that may have lost their extremum.

    Their best lost value is at least as good as the best value that certainly remains.
    """
    extrema = _extrema(layout)
    fields = ((_OLD + name, name) for name in (*layout.identity, *(a.name for a in extrema)))
    stored = Scan(state, STATE, tuple(fields))
    doubtful = []
    for extremum in extrema:
        lost, gained = column(LOST + extremum.name), column(extremum.name)
        best = _extreme(extremum, column(_OLD + extremum.name), gained)
        compare = exp.LTE if extremum.kind is Kind.MIN else exp.GTE
        doubtful.append(compare(this=lost, expression=best))
    same = tuple(
        exp.NullSafeEQ(this=column(k), expression=column(_OLD + k)) for k in layout.identity
    )
    met = OuterJoin(change, stored, "LEFT", same)
    return Project(Filter(met, exp.or_(*doubtful)), passed(layout.identity))


def _fresh(layout: Layout, among: Node | None, few: bool) -> Node:
    """Return the groups of `among` at the sources' new versions, all groups if it is None."""
    if among is None:
        return fill(layout)
    inner = Project(
        layout.input,
        (
            *passed(layout.input.columns),
            *(Item(f"__ivm_of_{k.name}", k.expression) for k in layout.keys),
        ),
    )
    keys = Project(among, tuple(Item(f"__ivm_among_{k.name}", column(k.name)) for k in layout.keys))
    same = tuple(
        exp.NullSafeEQ(
            this=column(f"__ivm_of_{k.name}"), expression=column(f"__ivm_among_{k.name}")
        )
        for k in layout.keys
    )
    again = SemiJoin(inner, Broadcast(keys) if few else keys, same)
    return substitute(fill(layout), layout.input, again)
