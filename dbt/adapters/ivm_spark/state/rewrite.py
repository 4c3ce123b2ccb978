"""A MERGE as queries: all rows of a small state after it, or the rows of a large one that change.

A MERGE finds the files that it touches, reads them again, writes them again, and asks the table's
log several times. For a state of one small file, it is faster to compute all of its rows. In a
large state, it is faster to look up the rows that change once, with their places in their files,
to mark these places as deleted, and to write only the new rows. Each row that is written carries
its change type, so that one write gives both the new file and the change data feed.

Source: Delta's protocol, "Change Data Files" and "Deletion Vectors"; MERGE's clauses as in Delta's
documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.state.matched import of_target
from dbt.adapters.ivm_spark.state.merge import Merge

MOST_ROWS = 100_000
"""Rows of the largest state that is rewritten. In larger ones, rows are exchanged."""
FILE, PLACE = "__ivm_file", "__ivm_place"
"""The file of a row of the state, and its place in the file."""
ACTION, STORED = "__ivm_action", "__ivm_stored"
INSERT, UPDATE, DELETE, KEEP = "insert", "update", "delete", "keep"
ACTIONS = (INSERT, UPDATE, DELETE, KEEP)
CHANGE_TYPE = "_change_type"
"""The column by which Delta tells change data from the table's rows, for which it is NULL."""
ROW = "row"
BY_TRANSACTION = "by_transaction"
"""Marks the counts of a change that was not made by a statement."""
_CHANGED, _OLD, _NEW = "__ivm_changed", "__ivm_old", "__ivm_new"
_ADDED = {INSERT: _NEW, UPDATE: _NEW}
"""The struct that is a new row of the table, by action."""
_KEPT = {KEEP: _OLD, **_ADDED}
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
class Exchange:
    """The rows of a large state that a MERGE takes out and puts in, as queries.

    Attributes:
        located: the rows of the state that the change meets, with their files and places.
        change: a rewrite of these rows, which also passes their files and places on. A row that
            stays as it is is not written.
    """

    located: exp.Query
    change: Rewrite

    def located_in(self, view: str) -> exp.Query:
        """Return `located` over a view whose columns are files, places, and those of the state."""
        found = self.located.copy()
        table = found.find(exp.Table)
        assert isinstance(found, exp.Select) and table is not None
        rows = exp.to_table(view)
        rows.set("alias", table.args["alias"].copy())
        table.replace(rows)
        every = exp.Column(this=exp.Star(), table=exp.to_identifier(table.alias))
        return found.select(every, append=False)


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


StateChange = Rewrite | Exchange | Addition | Rebuild
"""The change of a state, as a transaction carries it out."""


@dataclass(frozen=True)
class Before:
    """A state before a change, as a transaction reads it.

    Attributes:
        state: its quoted name.
        version: its version when the refresh was planned, or after the plan's ALTER TABLEs.
        rows: the number of its rows.
        stored: the name of the temporary view of the rows that the change needs.
        few: the change probably has at most `FEW_ROWS` rows.
    """

    state: str
    version: int
    rows: int
    stored: str
    few: bool = False


@dataclass(frozen=True)
class Replacement:
    """What may take the place of the statement of a refresh.

    Attributes:
        before: the state before it.
        state_id: the id under which Delta records the refresh.
        number: of the refresh.
        change: of the state's rows.
    """

    before: Before
    state_id: str
    number: int
    change: StateChange


def is_rewritten(rows: int) -> bool:
    """Return whether a state of so many rows is rewritten. In a larger one, rows are exchanged."""
    return rows <= MOST_ROWS


def exchange(merge: Merge, source: exp.Query, located: exp.Query, stored: str) -> Exchange:
    """Return a MERGE as an exchange of rows.

    Args:
        merge: with a value in `inserts` for each column of the state.
        source: the MERGE's source, as SQL; it reads the state's rows, if any, from `stored`.
        located: see `Exchange`.
        stored: the name of the temporary view of the located rows.
    """
    change = _rewritten(merge, source, stored, _ADDED, (FILE, PLACE))
    return Exchange(located, change)


def locate(state: exp.Table, meets: exp.Query, on: exp.Expr) -> exp.Query:
    """Return the rows of a state that meet a change, with their files and places.

    Args:
        state: the state, at its version.
        meets: see `Merge`.
        on: the MERGE's condition.
    """
    state = state.copy()
    state.set("alias", exp.TableAlias(this=exp.to_identifier("t")))
    # Under its alias, Spark would take it for a field of a column that is called like the alias.
    metadata = exp.column("_metadata")
    places = (
        exp.alias_(exp.Dot(this=metadata.copy(), expression=exp.to_identifier(field)), name)
        for name, field in ((FILE, "file_path"), (PLACE, "row_index"))
    )
    rows = exp.select(*places, exp.Column(this=exp.Star(), table=exp.to_identifier("t")))
    semi = exp.Join(this=meets.subquery("s"), side="LEFT", kind="SEMI", on=on.copy())
    rows = rows.from_(state)
    rows.append("joins", semi)
    return rows


def rewrite(merge: Merge, source: exp.Query, stored: str) -> Rewrite:
    """Return a MERGE as a rewrite.

    Args:
        merge: with a value in `inserts` for each column of the state.
        source: the MERGE's source, as SQL.
        stored: the name of the temporary view of the state's rows before.
    """
    return _rewritten(merge, source, stored, _KEPT)


def _rewritten(
    merge: Merge,
    source: exp.Query,
    stored: str,
    written: Mapping[str, str],
    passed: tuple[str, ...] = (),
) -> Rewrite:
    """Return a MERGE as a rewrite.

    Args:
        merge: see `rewrite`.
        source: see `rewrite`.
        stored: see `rewrite`.
        written: the struct to write as a row of the table, by action.
        passed: columns of `stored` besides the state's.
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
        *map(of_target, passed),
    )
    rows = rows.from_(_marked(exp.to_table(stored), STORED, "t"))
    rows = rows.join(
        _marked(exp.Subquery(this=source), _CHANGED, "s"), on=merge.on.copy(), join_type="full"
    )
    fed, unfed = (_expansion(written, feed) for feed in (True, False))
    return Rewrite(rows, fed, unfed, columns, stored)


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


def _expansion(written: Mapping[str, str], feed: bool) -> exp.Expr:
    """Return the generator of the rows to write for each row of the query."""
    ifs = []
    for action in ACTIONS:
        rows = [_written(written[action], None, feed)] if action in written else []
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
