"""Asks whether the rows of referenced tables only came or went, so that their join has one term.

See `dbt.adapters.ivm_spark.delta.references`. The question reads the changes alone, once a run, in
all columns. If rows got other values, it is asked again about the columns that a view reads. Its
answer also shows some keys that do not hold. These are an error, because earlier refreshes may have
trusted them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    Filter,
    Item,
    Join,
    Node,
    Project,
)
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.net import can_be_netted, net_weights
from dbt.adapters.ivm_spark.delta.references import ForeignKey, Lasting, joined_along
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import Decision, Situation, decide
from dbt.adapters.ivm_spark.plan.declared_keys import foreign_keys_among
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.shared_changes import Columns, SharedChanges, shared_feeds
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding, columns_read

WORTH_ASKING = 1_000_000
"""Rows of a referring table from which on not to read it saves more than the question costs."""
_KEY, _GAINED, _LOST = "key_", "gained", "lost"
_THEIR_KEY, _THEIR_GAINED, _THEIR_LOST = "their_key_", "their_gained", "their_lost"


@dataclass(frozen=True)
class KeyChange:
    """What the net change of a table says about one of its keys.

    Attributes:
        repeated: values of the key that several rows have, or had.
        stayed: values of the key whose rows got other values.
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
    asking = _Asking(request, found, decision, query, changes)
    lasting = _lasting(keys, layout.input, sources, asking)
    if not lasting.foreign_keys:
        return found, situation
    derivation = Derivation(layout, sources, lasting)
    return replace(found, derivation=derivation), replace(situation, work=derivation.work)


def key_change_query(
    relation: str, keys: Sequence[str], columns: Columns, bind: Binding
) -> exp.Query:
    """Return a query for the `KeyChange` of a table's key, in one row.

    Rows without a complete key are left out: no row refers to them.

    Args:
        relation: the quoted name of the table.
        keys: the columns of the key.
        columns: those in which the change is netted, with the key.
        bind: turns scans into SQL.
    """
    values = _by_key(relation, keys, columns, _KEY, (_GAINED, _LOST))
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


def orphans_query(
    key: ForeignKey, columns: Columns, referring: Columns, bind: Binding
) -> exp.Query:
    """Return a query for how many values show that a foreign key does not hold, as `orphans`.

    Such a value has come to the referenced table while the referring one lost rows with it. Or it
    has gone from there while the referring one gained some.

    Args:
        key: the foreign key; the referenced rows only came or went.
        columns: those in which the change of the referenced table is netted, with its key.
        referring: the columns of the foreign key.
        bind: turns scans into SQL.
    """
    ours = _by_key(key.referenced, key.keys, columns, _KEY, (_GAINED, _LOST))
    names = _THEIR_GAINED, _THEIR_LOST
    theirs = _by_key(key.relation, key.columns, referring, _THEIR_KEY, names)
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


class _Asking:
    """Asks about the changes of tables, once a run for all models that ask the same."""

    def __init__(
        self,
        request: Request,
        found: Findings,
        decision: Decision,
        query: Query,
        changes: SharedChanges,
    ) -> None:
        self._ranges, self._query, self._changes = decision.ranges, query, changes
        stored = {}
        if not decision.build:
            readers = request.read_by_many
            stored = shared_feeds(decision, found, query, changes, readers, frozenset())
        self._bind = Versions.of(self._ranges, found.heads, stored=stored).bind

    def moved(self, name: str) -> bool:
        """Return whether a table moved and its changes can be read."""
        return self._ranges[name].moved and self._ranges[name].broken is None

    def key_change(self, key: ForeignKey, columns: Columns) -> KeyChange | None:
        """Return the change of the referenced key, None if the question failed."""

        def ask() -> KeyChange:
            question = key_change_query(key.referenced, key.keys, columns, self._bind)
            (row,) = self._query(_text(question))
            return KeyChange(*(int(row[name] or 0) for name in ("repeated", "stayed", "lost")))

        return self._changes.answer((*self._place(key.referenced), key.keys, columns), ask)

    def orphans(self, key: ForeignKey, columns: Columns, referring: Columns) -> int | None:
        """Return how many values show that the key does not hold, None if the question failed."""

        def ask() -> int:
            question = orphans_query(key, columns, referring, self._bind)
            (row,) = self._query(_text(question))
            return int(row["orphans"])

        place = *self._place(key.referenced), *self._place(key.relation), key, columns
        return self._changes.answer(place, ask)

    def _place(self, name: str) -> tuple[Hashable, ...]:
        return name, self._ranges[name].first, self._ranges[name].pinned


def _lasting(
    keys: Collection[ForeignKey], root: Node, sources: Mapping[str, SourceFacts], asking: _Asking
) -> Lasting:
    """Return the referenced tables among those that moved whose rows only came or went.

    Args:
        keys: the foreign keys along which the view joins tables.
        root: the view's tree.
        sources: facts of all sources, by quoted name.
        asking: asks about the changes.
    """
    trusted, lost = list[ForeignKey](), set[str]()
    for key in sorted(keys, key=str):
        if not asking.moved(key.referenced):
            continue
        for columns in columns_to_net(key, root, sources):
            change = asking.key_change(key, columns)
            if change is None:
                continue
            if change.repeated:
                raise RefusedError(_repeated(key, change.repeated))
            if change.stayed:
                continue
            if asking.moved(key.relation):
                referring = sources[key.relation].typed(key.columns)
                orphans = asking.orphans(key, columns, referring)
                if orphans:
                    raise RefusedError(_orphaned(key, orphans))
            trusted.append(key)
            if change.lost:
                lost.add(key.referenced)
            break
    return Lasting(tuple(trusted), frozenset(lost))


def columns_to_net(
    key: ForeignKey, root: Node, sources: Mapping[str, SourceFacts]
) -> Iterator[Columns]:
    """Yield the columns in which to net the change of a referenced table, in the order to ask.

    All columns come first, because other models of the run ask about them too. A row that only has
    other values in columns that the view does not read has none in those that it does.

    Args:
        key: the foreign key.
        root: the view's tree.
        sources: facts of all sources, by quoted name.
    """
    facts = sources[key.referenced]
    if not can_be_netted(sources[key.relation].typed(key.columns)):
        return
    every, read = facts.typed(facts.types), facts.typed(columns_read(root, key.referenced))
    yield from (columns for columns in dict.fromkeys((every, read)) if can_be_netted(columns))


def _by_key(
    relation: str, keys: Sequence[str], columns: Columns, prefix: str, names: tuple[str, str]
) -> Node:
    """Return how many rows with each value of a key a table gained and lost, once netted."""
    own = tuple(Item(f"{prefix}{n}", column(name)) for n, name in enumerate(keys))
    changes = Project(net_weights(relation, columns), (*own, *passed((WEIGHT,))))
    complete = exp.and_(
        *(exp.Not(this=exp.Is(this=column(i.name), expression=exp.null())) for i in own)
    )
    gained, lost = (
        Item(name, exp.Sum(this=exp.Greatest(this=weight, expressions=[_number(0)])))
        for name, weight in zip(names, (column(WEIGHT), exp.Neg(this=column(WEIGHT))), strict=True)
    )
    return Aggregate(Filter(changes, complete), passed(i.name for i in own), (gained, lost))


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
