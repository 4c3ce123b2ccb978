"""Where the frozen rows of a rebuild come from: the state, the view over it, or another table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation, name_parts, relation_name
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.frozen import session_dialect, types_of_state
from dbt.adapters.ivm_spark.plan.frozen_where import frozen_condition
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.session.condition import first_line, says_condition
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.sql.fingerprint import same_query
from dbt.adapters.ivm_spark.state.difference import are_comparable
from dbt.adapters.ivm_spark.state.frozen import Frozen
from dbt.adapters.ivm_spark.state.layout import Style
from dbt.adapters.ivm_spark.state.taken_over import NotStoredError, rows_of_state, shown_rows
from dbt.adapters.ivm_spark.watermark.shown import mark_in
from dbt.adapters.ivm_spark.watermark.watermark import StateHistory, Watermark

_CHARS = re.compile(r"(var)?char\(\d+\)")
"""Types that a table has, and no column of a query: it is a string there."""
_OWN = "this"
"""The `backfill_from` that means the model's own relation, before it becomes a view."""
_MISSING = "TABLE_OR_VIEW_NOT_FOUND"


def with_kept_rows(
    query: Query, request: Request, history: StateHistory, found: Findings, reads: bool
) -> Findings:
    """Return the findings for a rebuild that keeps the frozen rows of the state that there is.

    If the state was built in another way, they are the rows that the view shows.

    Args:
        query: sends a statement.
        request: of the run.
        history: of the state.
        found: the findings for a rebuild.
        reads: whether rows may be read to check them.

    Raises RefusedError if the frozen rows do not tell what the query needs, and NotMaintained if
    they do for a query that is stored as it is.
    """
    frozen, before = found.frozen, history.watermark
    if frozen is None or not request.keeps_frozen:
        return found
    as_written = before is not None and before.unsupported_reason is not None
    alike = before is not None and _is_stored_alike(request, found, before)
    if alike and _has_columns(query, request, found):
        return found
    says = f"its frozen rows ({frozen.text}) were stored for another query"
    remedy = (
        "Keep the query's columns and aggregates, or give these rows up: remove frozen_where and "
        "run with --full-refresh."
    )
    if not mark_in(request.information):
        raise RefusedError(f"{says}, and there is no view that shows them. {remedy}")
    relation = SourceReader(query).relation(request.view)
    try:
        return _given_by(query, found, relation, says, remedy, reads)
    except NotStoredError as error:
        if as_written and found.layout is not None:
            detail = f"frozen rows that lack {error}"
            raise NotMaintained(ReasonCode.OPERATOR_NOT_SUPPORTED, detail) from error
        raise RefusedError(f"{says}, and lack what the state stores: {error}. {remedy}") from error


def _is_stored_alike(request: Request, found: Findings, before: Watermark) -> bool:
    """Return whether the rows of a state mean what those of a rebuilt one would."""
    if found.edit is not None:
        return True
    if not (found.known or same_query(before.fingerprint, found.reading.fingerprint)):
        return False
    if found.layout is None or before.unsupported_reason is not None:
        return found.layout is None and before.unsupported_reason is not None
    view = found.reading.view
    above = None if view is None else view.above
    return request.config.table.appends == before.appends and above == before.query.above


def _has_columns(query: Query, request: Request, found: Findings) -> bool:
    stored = dict(SourceReader(query).relation(request.state).columns)
    return all(stored.get(name) == kind for name, kind in types_of_state(found).items())


def with_backfill(query: Query, request: Request, found: Findings, reads: bool) -> Findings:
    """Return the findings for a first build that takes its frozen rows from another table.

    They are the same unless the model names such a table. Raises RefusedError if that does not have
    the view's columns, or does not tell all that the state stores. For `reads` see
    `with_kept_rows`.
    """
    frozen, name = found.frozen, request.config.backfill_from
    if frozen is None or not name or request.keeps_frozen:
        return found
    says = f"backfill_from is {name!r}"
    remedy = "Or remove backfill_from, so that the query gives the frozen rows."
    if is_own(request) and mark_in(request.information):
        raise RefusedError(
            f"{says}, but the state of this view is missing. Name a table that has the frozen "
            f"rows. {remedy}"
        )
    relation = backfill(query, request)
    if relation is None:
        return found
    try:
        return _given_by(query, found, relation, says, remedy, reads)
    except NotStoredError as error:
        raise RefusedError(
            f"{says}, but the state stores more than the view shows: {error}. Add these columns to "
            f"the query. {remedy}"
        ) from error


def is_own(request: Request) -> bool:
    """Return whether the model takes rows of its own relation, before it becomes a view."""
    return request.config.backfill_from.lower() == _OWN


def backfill(query: Query, request: Request) -> Relation | None:
    """Return the relation of the model's `backfill_from`, None if the model has none of its own.

    Raises RefusedError if it can't be read, or if the run would replace it by some of the rows.
    """
    name, own = request.config.backfill_from, is_own(request)
    says = f"backfill_from is {name!r}"
    try:
        relation = SourceReader(query).relation(request.view if own else _quoted(name))
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        if own and _MISSING in str(error.msg):
            return None
        raise RefusedError(f"{says}, which can't be read: {first_line(error)}") from error
    if own and request.limited:
        raise RefusedError(
            f"{says}, and a build with --empty or --sample would replace that table. Build the "
            "view without them first."
        )
    return relation


def _given_by(
    query: Query, found: Findings, relation: Relation, says: str, remedy: str, reads: bool
) -> Findings:
    """Return findings whose frozen rows come from a relation with the view's columns.

    Args:
        query: sends a statement.
        found: the findings for a rebuild.
        relation: the relation.
        says: the beginning of a message.
        remedy: its end.
        reads: see `with_kept_rows`.

    Raises RefusedError for a relation without the view's columns, and NotStoredError for one that
    does not tell all that the state stores.
    """
    frozen, outputs, types = found.frozen, found.facts.outputs, types_of_state(found)
    assert frozen is not None
    check_columns(relation, found, says, remedy)
    rows = rows_of_state(found.layout, outputs, types)
    table, where = exp.to_table(relation.name, dialect="spark"), _over_view(frozen, found)
    given = rows.from_(table).where(where)
    if reads:
        shown = exp.select(*shown_columns(found)).from_(table.copy()).where(where.copy())
        check_shown(query, found, given, shown, says, f" ({frozen.text})")
    return replace(found, frozen=replace(frozen, given=given))


def check_columns(relation: Relation, found: Findings, says: str, remedy: str) -> None:
    """Raise RefusedError if a relation lacks columns of the view; see `_given_by`."""
    has = {column.lower(): _CHARS.sub("string", kind) for column, kind in relation.columns}
    wanted = ((name, _CHARS.sub("string", kind)) for name, kind in found.facts.outputs)
    lacks = [f"{name} ({kind})" for name, kind in wanted if has.get(name.lower()) != kind]
    if lacks:
        raise RefusedError(f"{says}, which lacks columns of the view: {', '.join(lacks)}. {remedy}")


def unproven(request: Request, frozen: Frozen) -> str:
    """Return the warning of a first build that takes its frozen rows from another table."""
    return (
        f"its frozen rows ({frozen.text}) are those of {request.config.backfill_from}. Nothing "
        "proves that they are what the query once gave."
    )


def _quoted(name: str) -> str:
    parts = name_parts(exp.to_table(name, dialect="spark"))
    if len(parts) < 2:
        raise RefusedError(
            f"backfill_from is {name!r}; it must be a table with its schema, or 'this'."
        )
    return relation_name(parts, ())


def _over_view(frozen: Frozen, found: Findings) -> exp.Expr:
    """Return the condition over the columns of the view."""
    names = {name.lower(): name for name, _ in found.facts.outputs}
    return frozen_condition(frozen.text, names, session_dialect(found))


def shown_columns(found: Findings) -> list[exp.Expr]:
    """Return the columns of the view, for a SELECT over a table that has them."""
    return [exp.column(name, quoted=True) for name, _ in found.facts.outputs]


def check_shown(
    query: Query, found: Findings, given: exp.Select, shown: exp.Select, says: str, which: str
) -> None:
    """Raise RefusedError unless the view shows rows of another table as they are.

    Two rows of one group, and values that the view computes from others, may not be the same.

    Args:
        query: sends a statement.
        found: the findings for a rebuild.
        given: the rows of the state that are made from those of the table.
        shown: the rows of the table.
        says: the beginning of a message.
        which: which rows they are, at the end of a message.
    """
    layout, outputs = found.layout, found.facts.outputs
    if layout is None or layout.style is Style.ROWS:
        return
    if not are_comparable(dict(outputs)):
        raise RefusedError(f"{says}, but rows of the view's types can't be compared.")
    keys = [exp.column(key.name, quoted=True) for key in layout.keys]
    twice = exp.select(*keys).from_(given.subquery("r")).group_by(*keys)
    twice = twice.having(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1)))
    computed, other = differing(shown_rows(layout, found.facts.types, outputs, given), shown)
    row = counted(query, {"twice": twice, "computed": computed, "given": other})
    if row["twice"]:
        raise RefusedError(f"{says}, which has {row['twice']} groups more than once{which}.")
    if row["computed"] or row["given"]:
        raise RefusedError(
            f"{says}, but the view would compute other values for {row['given']} of its "
            f"rows{which}."
        )


def differing(one: exp.Query, other: exp.Query) -> tuple[exp.Query, exp.Query]:
    """Return the rows of a query that another lacks, and the reverse, each as often as it is."""
    both = [exp.select(exp.Star()).from_(part.subquery("r")) for part in (one, other)]
    return (
        exp.except_(*both, distinct=False),
        exp.except_(*(part.copy() for part in both[::-1]), distinct=False),
    )


def counted(query: Query, wanted: Mapping[str, exp.Query]) -> Mapping[str, int]:
    """Return how many rows each query has, by its name; Spark answers in one statement."""
    counts = (
        exp.alias_(exp.select(exp.Count(this=exp.Star())).from_(q.subquery("q")).subquery(), name)
        for name, q in wanted.items()
    )
    (row,) = query(to_sql(exp.select(*counts)))
    return {name: int(row[name]) for name in wanted}
