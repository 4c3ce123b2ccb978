"""How a delta is merged into a state: one MERGE for insert-only, delete-only and mixed changes.

Mumick, Quass, Mumick, "Maintenance of data cubes and summary tables in a warehouse" (SIGMOD 1997)
for counts and sums; for extrema only the groups whose stored extremum was lost, and not beaten by
what was gained, are computed again from the new state of the sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.traversal import substitute
from dbt.adapters.ivm_spark.algebra.tree import Broadcast, Item, Node, Project, Scan, SemiJoin
from dbt.adapters.ivm_spark.analysis.cardinality import MATERIALIZED
from dbt.adapters.ivm_spark.analysis.monotonicity import is_monotone
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical.broadcast import fits_broadcast
from dbt.adapters.ivm_spark.physical.common_subplans import Materialized, materialized_name
from dbt.adapters.ivm_spark.physical.runtime_filters import Answers, Question, questions
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding
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
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.matched import (
    keys_met,
    of_source,
    of_target,
    same_key,
    within,
)
from dbt.adapters.ivm_spark.state.statement import prepared, statement

CHANGE, STALE, FRESH = "ivm_change", "ivm_stale", "ivm_fresh"
_FRESH = "__ivm_fresh_"


@dataclass(frozen=True)
class Merge:
    """The parts of a MERGE INTO the state AS t USING source AS s, as trees of SQL.

    kept: (name, query) of what is computed once before the statement, in order, because the source
    reads it more than once; asks: for each of them and for the MERGE what it is worth to know
    before. delete_when is None where no row can leave the state, update_when where none stays and
    changes.
    loses: a query for the number of rows that the state loses, column lost, once the change is
    kept; where that is 0 an INSERT of `gains`, rows with the state's columns, does the same.
    """

    kept: tuple[tuple[str, exp.Query], ...]
    asks: tuple[tuple[Question, ...], ...]
    source: exp.Query
    on: exp.Expr
    delete_when: exp.Expr | None
    update_when: exp.Expr | None
    updates: tuple[tuple[str, exp.Expr], ...]
    insert_when: exp.Expr
    inserts: tuple[tuple[str, exp.Expr], ...]
    loses: exp.Query | None = None
    gains: exp.Query | None = None


def merge(
    layout: Layout,
    delta: Node,
    state: str,
    bind: Binding,
    insert_only: bool,
    changed: Mapping[str, int] | None = None,
    sources: Mapping[str, SourceFacts] | None = None,
    answers: Answers | None = None,
    token: str = "",
    large: Mapping[str, str] | None = None,
) -> Merge:
    """The MERGE of a delta of `layout.input` into the state.

    state: quoted name of the state table; bind: what scans are in SQL; insert_only: the sources
    only gained rows; changed: the most rows that changed of each source that moved, sources: what
    is known of the sources, both where known; answers: to the `asks` of an earlier call; token: see
    `share_common_subplans`; large: types of the state's columns where it is so large that the
    change is computed first, and that it pays to ask which part of the state it can meet; None for
    other states. The source has one row a key, so that no row of the state matches twice.
    """
    insert_only = insert_only and is_monotone(layout.input)
    kept, relation, most = prepared(delta, changed, sources, token)
    change = grouped_change(layout, relation, insert_only)
    again = computes_again(layout, insert_only)
    final = partial(statement, bind=bind, changed=most, answers=answers)
    met: tuple[Question, ...] = ()
    asked = tuple(questions(change))
    if again or large is not None:
        name = materialized_name(MATERIALIZED + "change", token)
        kept = (*kept, Materialized(name, change))
        change = Scan(name, name, tuple((c, c) for c in change.columns))
        asked = met = keys_met(layout, change, large or {})
    if again:
        few = fits_broadcast(delta, changed or {})
        source = _looked_up_source(layout, change.columns, state, bind, insert_only, name, few)
    else:
        source = final(change)
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
        kept=tuple((k.name, final(k.relation)) for k in kept),
        asks=(
            *(tuple(questions(k.relation)) for k in kept),
            asked,
        ),
        source=source,
        on=exp.and_(same_key(layout), *within(met, answers or {}, of_target)),
        delete_when=None
        if keeps_all
        else exp.EQ(this=_sum(COUNT), expression=exp.Literal.number(0)),
        update_when=exp.or_(*changes, wrap=True),
        updates=tuple(updates),
        insert_when=exp.NEQ(this=of_source(COUNT), expression=exp.Literal.number(0)),
        inserts=tuple(inserts),
    )


def computes_again(layout: Layout, insert_only: bool) -> bool:
    """Whether groups of the state are computed again from its sources, all that change or those
    that may have lost an extremum. insert_only: the view's input only gained rows."""
    return layout.recomputes or (bool(_extrema(layout)) and not insert_only)


def _sum(name: str) -> exp.Expr:
    """A count as it will be."""
    return exp.Add(this=of_target(name), expression=of_source(name))


def _change_of(accumulator: Accumulator, updated: exp.Expr) -> exp.Expr:
    """Whether an accumulator's value really changes; a sum that becomes or ceases to be NULL is
    seen at its counter."""
    if accumulator.kind in (Kind.COUNT, Kind.SUM):
        return exp.NEQ(this=of_source(accumulator.name), expression=exp.Literal.number(0))
    same = exp.NullSafeEQ(this=of_target(accumulator.name), expression=updated.copy())
    return exp.Not(this=exp.paren(same))


def _lookup(layout: Layout, insert_only: bool) -> frozenset[Kind]:
    """The kinds of accumulators whose value may come from the recomputed groups."""
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
        kept = or_zero(of_target(name))
        if accumulator.tight:
            none = exp.EQ(this=of_target(accumulator.counter), expression=exp.Literal.number(0))
            zero = exp.If(this=none, true=exp.Literal.number(0))
            kept = exp.Case(ifs=[zero], default=of_target(name))
        both: exp.Expr = exp.Add(this=kept, expression=or_zero(of_source(name)))
        both = exp.cast(both, accumulator.type_name)
        if accumulator.tight:
            both = exp.Coalesce(this=both, expressions=[overflow(accumulator)])
        return null_without(_sum(accumulator.counter), both)
    if accumulator.kind is Kind.XOR:
        differing = exp.BitwiseXor(
            this=or_zero(of_target(name)), expression=or_zero(of_source(name))
        )
        value = exp.cast(differing, accumulator.type_name)
        return null_without(_sum(accumulator.counter), value)
    return _looked_up(accumulator, lookup, _extreme(accumulator, of_target(name), of_source(name)))


def _inserted(accumulator: Accumulator, lookup: frozenset[Kind]) -> exp.Expr:
    name = accumulator.name
    if accumulator.kind is Kind.RECOMPUTED:
        return of_source(_FRESH + name)
    if accumulator.kind is Kind.COUNT:
        return of_source(name)
    if accumulator.kind in (Kind.SUM, Kind.XOR):
        value = exp.cast(of_source(name), accumulator.type_name)
        return null_without(of_source(accumulator.counter), value)
    return _looked_up(accumulator, lookup, of_source(name))


def _looked_up(accumulator: Accumulator, lookup: frozenset[Kind], otherwise: exp.Expr) -> exp.Expr:
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


def _looked_up_source(
    layout: Layout,
    columns: tuple[str, ...],
    state: str,
    bind: Binding,
    insert_only: bool,
    change: str,
    few: bool,
) -> exp.Query:
    """The change, kept under that name, beside the groups of it that are computed again.

    few: the change has certainly few groups, so that those to compute again are broadcast. Spark
    takes a join with the state for as large as their product, and would sort and shuffle the whole
    source to meet a handful of groups.
    """
    stale = None if layout.recomputes else _stale(layout, state, _extrema(layout), change)
    fresh = _fresh(layout, None if layout.whole else (STALE if stale is not None else change), few)
    looked_up = [a.name for a in layout.accumulators if a.kind in _lookup(layout, insert_only)]
    items = [exp.column(c, table=CHANGE, quoted=True) for c in columns]
    extra = [
        exp.alias_(exp.column(c, table=FRESH, quoted=True), _FRESH + c, quoted=True)
        for c in (*looked_up, COUNT)
    ]
    query = (
        exp.select(*items, *extra)
        .from_(_kept(change))
        .join(exp.to_identifier(FRESH), on=_same(layout.identity, CHANGE, FRESH), join_type="left")
    )
    if few:
        query = query.hint(f"BROADCAST({FRESH})", dialect="spark")
    if stale is not None and not layout.whole:
        query = query.with_(STALE, as_=stale)
    return query.with_(FRESH, as_=render(fresh, bind))


def _same(keys: tuple[str, ...], left: str, right: str) -> exp.Expr:
    return exp.and_(
        *(
            exp.NullSafeEQ(
                this=exp.column(k, table=left, quoted=True),
                expression=exp.column(k, table=right, quoted=True),
            )
            for k in keys
        )
    )


def _kept(change: str) -> exp.Table:
    alias = exp.TableAlias(this=exp.to_identifier(CHANGE))
    return exp.Table(this=exp.to_identifier(change), alias=alias)


def _stale(layout: Layout, state: str, extrema: list[Accumulator], change: str) -> exp.Query:
    """Keys of the groups that lost a value at least as good as the best that is left for sure."""
    keys = layout.identity
    doubtful = []
    for extremum in extrema:
        lost = exp.column(LOST + extremum.name, table=CHANGE, quoted=True)
        gained = exp.column(extremum.name, table=CHANGE, quoted=True)
        best = _extreme(extremum, of_target(extremum.name), gained)
        compare = exp.LTE if extremum.kind is Kind.MIN else exp.GTE
        doubtful.append(compare(this=lost, expression=best))
    target = exp.to_table(state, dialect="spark")
    target.set("alias", exp.TableAlias(this=exp.to_identifier("t")))
    return (
        exp.select(*(exp.column(k, table=CHANGE, quoted=True) for k in keys))
        .from_(_kept(change))
        .join(target, on=_same(keys, CHANGE, "t"), join_type="left")
        .where(exp.or_(*doubtful))
    )


def _fresh(layout: Layout, among: str | None, few: bool) -> Node:
    """The groups of `among` computed from the sources' new state; all of them where None."""
    if among is None:
        return fill(layout)
    inner = Project(
        layout.input,
        (
            *passed(layout.input.columns),
            *(Item(f"__ivm_of_{k.name}", k.expression) for k in layout.keys),
        ),
    )
    scan = Scan(among, among, tuple((f"__ivm_among_{k.name}", k.name) for k in layout.keys))
    same = tuple(
        exp.NullSafeEQ(
            this=column(f"__ivm_of_{k.name}"), expression=column(f"__ivm_among_{k.name}")
        )
        for k in layout.keys
    )
    again = SemiJoin(inner, Broadcast(scan) if few else scan, same)
    return substitute(fill(layout), layout.input, again)
