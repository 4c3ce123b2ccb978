"""A MERGE as a rewrite: all rows of a small state after it, as a query over the rows before it.

A MERGE finds the files that it touches, writes them again, and asks the table's log several times.
For a state of one small file, it is faster to compute all of its rows. Each row carries its change
type, so that one write gives both the new file and the change data feed.

Source: Delta's protocol, "Change Data Files"; MERGE's clauses as in Delta's documentation.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.state.matched import of_target
from dbt.adapters.ivm_spark.state.merge import Merge

MOST_ROWS = 100_000
"""Rows of the largest state that is rewritten."""
ACTION, STORED = "__ivm_action", "__ivm_stored"
INSERT, UPDATE, DELETE, KEEP = "insert", "update", "delete", "keep"
ACTIONS = (INSERT, UPDATE, DELETE, KEEP)
CHANGE_TYPE = "_change_type"
"""The column by which Delta tells change data from the table's rows, for which it is NULL."""
ROW = "row"
BY_TRANSACTION = "by_transaction"
"""Marks the counts of a change that was not made by a statement."""
_CHANGED, _OLD, _NEW = "__ivm_changed", "__ivm_old", "__ivm_new"
_KEPT = {KEEP: _OLD, INSERT: _NEW, UPDATE: _NEW}
"""The struct that is a row of the table afterwards, by action."""
_CHANGES = {
    INSERT: (("insert", _NEW),),
    UPDATE: (("update_preimage", _OLD), ("update_postimage", _NEW)),
    DELETE: (("delete", _OLD),),
}
"""The change data of each action: change type and struct."""


@dataclass(frozen=True)
class Rewrite:
    """The rows of a state after a MERGE, as queries.

    Attributes:
        rows: a query with one row for each row of the state, and one for each row of the MERGE's
            source without a match: the action (one of `ACTIONS`, or NULL for none), whether the
            row was stored, and the rows before and after as structs.
        expansion: over `rows`, the generator of the rows to write: a struct `row` with the state's
            columns, and the change type.
        unfed: the same without change data.
        columns: the columns of the state.
        stored: the name of the temporary view of the state's rows before, which `rows` reads.
    """

    rows: exp.Query
    expansion: exp.Expr
    unfed: exp.Expr
    columns: tuple[str, ...]
    stored: str


@dataclass(frozen=True)
class Addition:
    """The rows that an INSERT adds to a state.

    Attributes:
        rows: a query.
    """

    rows: exp.Query


@dataclass(frozen=True)
class Rebuild:
    """The new contents of a state whose table stays as it is.

    Attributes:
        rows: a query, as text; it may be the user's own.
    """

    rows: str


@dataclass(frozen=True)
class Replacement:
    """What may take the place of the statement of a refresh.

    Attributes:
        state: quoted name of the state.
        version: its version when the refresh was planned.
        state_id: the id under which Delta records the refresh.
        number: of the refresh.
        change: of the state's rows.
    """

    state: str
    version: int
    state_id: str
    number: int
    change: Rewrite | Addition | Rebuild


def rewrite(merge: Merge, source: exp.Query, stored: str) -> Rewrite:
    """Return a MERGE as a rewrite.

    Args:
        merge: with a value in `inserts` for each column of the state.
        source: the MERGE's source, as SQL.
        stored: the name of the temporary view of the state's rows before.
    """
    columns = tuple(name for name, _ in merge.inserts)
    after = {**{name: of_target(name) for name in columns}, **dict(merge.updates)}
    inserted = dict(merge.inserts)
    rows = exp.select(
        exp.alias_(_case(merge, *map(exp.Literal.string, ACTIONS)), ACTION),
        exp.alias_(exp.Not(this=_is_missing("t", STORED)), STORED),
        exp.alias_(_struct(columns, {name: of_target(name) for name in columns}), _OLD),
        exp.alias_(
            _case(merge, _struct(columns, inserted), _struct(columns, after), None, None), _NEW
        ),
    )
    rows = rows.from_(_marked(exp.to_table(stored), STORED, "t"))
    rows = rows.join(
        _marked(exp.Subquery(this=source), _CHANGED, "s"), on=merge.on.copy(), join_type="full"
    )
    return Rewrite(rows, _expansion(feed=True), _expansion(feed=False), columns, stored)


def _case(
    merge: Merge,
    insert: exp.Expr,
    update: exp.Expr,
    delete: exp.Expr | None,
    keep: exp.Expr | None,
) -> exp.Case:
    """Return a CASE over the clauses of a MERGE, in the order in which MERGE tries them."""

    def when(condition: exp.Expr, value: exp.Expr | None) -> exp.If:
        return exp.If(this=condition, true=(value or exp.null()).copy())

    new = exp.Case(ifs=[when(merge.insert_when.copy(), insert)])
    ifs = [when(_is_missing("t", STORED), new), when(_is_missing("s", _CHANGED), keep)]
    if merge.delete_when is not None:
        ifs.append(when(merge.delete_when.copy(), delete))
    if merge.update_when is not None:
        ifs.append(when(merge.update_when.copy(), update))
    return exp.Case(ifs=ifs, default=None if keep is None else keep.copy())


def _is_missing(side: str, mark: str) -> exp.Expr:
    """Return the condition that a row of the join has no row of one side."""
    return exp.Is(this=exp.column(mark, table=side, quoted=True), expression=exp.null())


def _marked(relation: exp.Table | exp.Subquery, mark: str, alias: str) -> exp.Subquery:
    """Return a relation with a column that is true in each of its rows."""
    marked = exp.select(exp.Star(), exp.alias_(exp.true(), mark)).from_(relation)
    return marked.subquery(alias)


def _struct(columns: tuple[str, ...], values: dict[str, exp.Expr]) -> exp.Expr:
    pairs = [(exp.Literal.string(name), values[name].copy()) for name in columns]
    return exp.Anonymous(this="named_struct", expressions=[part for pair in pairs for part in pair])


def _expansion(feed: bool) -> exp.Expr:
    """Return the generator of the rows to write for each row of the query."""
    ifs = []
    for action in ACTIONS:
        rows = [_written(_KEPT[action], None, feed)] if action in _KEPT else []
        if feed:
            rows += [_written(struct, change, feed) for change, struct in _CHANGES.get(action, ())]
        if rows:
            value = exp.Anonymous(this="array", expressions=rows)
            ifs.append(exp.If(this=_is(action), true=value))
    return exp.Anonymous(this="inline", expressions=[exp.Case(ifs=ifs)])


def _written(struct: str, change: str | None, feed: bool) -> exp.Expr:
    """Return a row to write; without a change type, it is a row of the table."""
    parts: tuple[exp.Expr, ...] = (exp.Literal.string(ROW), column(struct))
    if feed:
        kind = exp.null() if change is None else exp.Literal.string(change)
        parts = (*parts, exp.Literal.string(CHANGE_TYPE), exp.cast(kind, "string"))
    return exp.Anonymous(this="named_struct", expressions=list(parts))


def _is(action: str) -> exp.Expr:
    return exp.EQ(this=column(ACTION), expression=exp.Literal.string(action))
