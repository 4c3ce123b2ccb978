"""Asks whether the rows of referenced tables only came or went, so that their join has one term.

See `dbt.adapters.ivm_spark.delta.references`. The question reads the changes alone, once a run. Its
answer also shows some keys that do not hold. These are an error, because earlier refreshes may have
trusted them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    At,
    Filter,
    Item,
    Join,
    Node,
    Scan,
)
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.references import ForeignKey, Lasting, joined_along
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import Decision, Situation, decide
from dbt.adapters.ivm_spark.plan.declared_keys import foreign_keys_among
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges, shared_feeds
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding

WORTH_ASKING = 1_000_000
"""Rows of a referring table from which on not to read it saves more than the question costs."""
_KEY, _GAINED, _LOST = "key_", "gained", "lost"
_THEIR_KEY, _THEIR_GAINED, _THEIR_LOST = "their_key_", "their_gained", "their_lost"


@dataclass(frozen=True)
class KeyChange:
    """What the change of a table says about one of its keys.

    Attributes:
        repeated: values of the key that several rows have, or had.
        stayed: values of the key that rows had before and have now.
        lost: values of the key that no row has any more.
    """

    repeated: int
    stayed: int
    lost: int


def with_references(
    request: Request,
    found: Findings,
    situation: Situation,
    query: Query,
    changes: SharedChanges,
) -> tuple[Findings, Situation]:
    """Return the findings and the situation with a delta that trusts the declared foreign keys.

    Args:
        request: the request of the run.
        found: the findings about the view and its sources.
        situation: all that the decision depends on.
        query: sends a statement.
        changes: those that the models of the run share.

    Raises RefusedError for a key that does not hold, as far as the changes show it.
    """
    watermark, layout, derivation = found.watermark, found.layout, found.derivation
    if layout is None or watermark is None or derivation is None or derivation.moves:
        return found, situation
    sources = found.source_facts(watermark)
    declared = foreign_keys_among(request.config, request.references, sources)
    keys = [k for k in joined_along(layout.input, declared, sources) if _is_worth_it(k, sources)]
    if not keys or situation.config.refresh_policy is RefreshPolicy.FULL:
        return found, situation
    decision = decide(situation)
    if decision.build and not decision.for_cost:
        return found, situation
    lasting = _lasting(sorted(keys, key=str), request, found, decision, query, changes)
    if not lasting.foreign_keys:
        return found, situation
    derivation = Derivation(layout, sources, lasting)
    return replace(found, derivation=derivation), replace(situation, work=derivation.work)


def key_change_query(relation: str, keys: Sequence[str], bind: Binding) -> exp.Query:
    """Return a query for the `KeyChange` of a table's key, in one row.

    Rows without a complete key are left out: no row refers to them.

    Args:
        relation: the quoted name of the table.
        keys: the columns of the key.
        bind: turns scans into SQL.
    """
    values = _by_key(relation, keys, _KEY, (_GAINED, _LOST))
    gained, lost = column(_GAINED), column(_LOST)
    net = exp.Anonymous(this="abs", expressions=[exp.Sub(this=gained, expression=lost)])
    root = Aggregate(
        values,
        (),
        (
            Item("repeated", _count(exp.GT(this=net, expression=_number(1)))),
            Item("stayed", _count(exp.and_(_some(gained), _some(lost)))),
            Item("lost", _count(_some(lost))),
        ),
    )
    return render(root, bind)


def orphans_query(key: ForeignKey, bind: Binding) -> exp.Query:
    """Return a query for how many values show that a foreign key does not hold, as `orphans`.

    Such a value has come to the referenced table while the referring one lost rows with it. Or it
    has gone from there while the referring one gained some.

    Args:
        key: the foreign key; the referenced rows only came or went.
        bind: turns scans into SQL.
    """
    ours = _by_key(key.referenced, key.keys, _KEY, (_GAINED, _LOST))
    theirs = _by_key(key.relation, key.columns, _THEIR_KEY, (_THEIR_GAINED, _THEIR_LOST))
    same = tuple(
        exp.EQ(this=column(f"{_KEY}{n}"), expression=column(f"{_THEIR_KEY}{n}"))
        for n in range(len(key.keys))
    )
    more = exp.GT(this=column(_THEIR_GAINED), expression=column(_THEIR_LOST))
    less = exp.LT(this=column(_THEIR_GAINED), expression=column(_THEIR_LOST))
    wrong = exp.or_(exp.and_(_some(column(_GAINED)), less), exp.and_(_some(column(_LOST)), more))
    every = Item("orphans", exp.Count(this=exp.Star()))
    return render(Aggregate(Filter(Join((ours, theirs), same), wrong), (), (every,)), bind)


def _is_worth_it(key: ForeignKey, sources: Mapping[str, SourceFacts]) -> bool:
    return sources[key.relation].rows >= WORTH_ASKING


def _lasting(
    keys: Sequence[ForeignKey],
    request: Request,
    found: Findings,
    decision: Decision,
    query: Query,
    changes: SharedChanges,
) -> Lasting:
    ranges = decision.ranges
    stored = {}
    if not decision.build:
        stored = shared_feeds(decision, found, query, changes, request.read_by_many, frozenset())
    bind = Versions.of(ranges, found.heads, stored=stored).bind
    trusted, lost = list[ForeignKey](), set[str]()
    for key in keys:
        of_key = ranges[key.referenced]
        if not of_key.moved or of_key.broken is not None:
            continue
        place = key.referenced, of_key.first, of_key.pinned
        change = changes.answer(
            (*place, key.keys),
            partial(_key_change, query, key_change_query(key.referenced, key.keys, bind)),
        )
        if change is None:
            continue
        if change.repeated:
            raise RefusedError(_repeated(key, change.repeated))
        if change.stayed:
            continue
        referring = ranges[key.relation]
        if referring.moved and referring.broken is None:
            orphans = changes.answer(
                (*place, key, referring.first, referring.pinned),
                partial(_orphans, query, orphans_query(key, bind)),
            )
            if orphans:
                raise RefusedError(_orphaned(key, orphans))
        trusted.append(key)
        if change.lost:
            lost.add(key.referenced)
    return Lasting(tuple(trusted), frozenset(lost))


def _key_change(query: Query, question: exp.Query) -> KeyChange:
    (row,) = query(_text(question))
    return KeyChange(*(int(row[name] or 0) for name in ("repeated", "stayed", "lost")))


def _orphans(query: Query, question: exp.Query) -> int:
    (row,) = query(_text(question))
    return int(row["orphans"])


def _by_key(relation: str, keys: Sequence[str], prefix: str, names: tuple[str, str]) -> Node:
    """Return how many rows with each value of a key a table gained and lost."""
    fields = tuple((f"{prefix}{n}", name) for n, name in enumerate(keys))
    scan = Scan(relation, f"{prefix}changes", fields, At.CHANGES)
    complete = exp.and_(
        *(exp.Not(this=exp.Is(this=column(name), expression=exp.null())) for name, _ in fields)
    )
    weight = column(WEIGHT)
    gained, lost = (
        Item(name, _count(kind(this=weight.copy(), expression=_number(0))))
        for name, kind in zip(names, (exp.GT, exp.LT), strict=True)
    )
    return Aggregate(Filter(scan, complete), passed(name for name, _ in fields), (gained, lost))


def _count(condition: exp.Expr) -> exp.Expr:
    return exp.CountIf(this=condition)


def _some(count: exp.Expr) -> exp.Expr:
    return exp.GT(this=count.copy(), expression=_number(0))


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def _text(query: exp.Query) -> str:
    return to_sql(query, pretty=True)


def _repeated(key: ForeignKey, values: int) -> str:
    return (
        f"primary_keys says that {_columns(key.keys)} is the key of {key.referenced}, but the rows "
        f"that changed show {values} of its values in several rows. Earlier refreshes may have "
        f"trusted this key. Remove {key.referenced} from foreign_keys, or the repeated rows from "
        "the table, and run with --full-refresh."
    )


def _orphaned(key: ForeignKey, values: int) -> str:
    return (
        f"foreign_keys says that {_columns(key.columns)} of {key.relation} refers to "
        f"{key.referenced}, but the rows that changed show {values} of its values in "
        f"{key.relation} at a time when {key.referenced} did not have them. Earlier refreshes may "
        f"have trusted this key. Remove {key.referenced} from foreign_keys, or those rows from the "
        "table, and run with --full-refresh."
    )


def _columns(names: Sequence[str]) -> str:
    return ", ".join(names)
