"""A table that already has the rows of a new view becomes its state, instead of a build.

    backfill_from: this      the model was a table, and is a view from this run on

The rows are those of the query at the present versions of the sources: `backfill_check` says
whether all of them are compared, one in a hundred, or none. Later refreshes change them as if a
build had made them, so the state must follow from what the view shows: the rows of a query without
GROUP BY, or groups whose counts are shown.
"""

from __future__ import annotations

from dataclasses import replace

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation, RelationKind
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Filter, Limit
from dbt.adapters.ivm_spark.plan.config import BackfillCheck
from dbt.adapters.ivm_spark.plan.findings import Findings, Taken
from dbt.adapters.ivm_spark.plan.frozen import types_of_state
from dbt.adapters.ivm_spark.plan.given_rows import (
    backfill,
    check_columns,
    check_shown,
    counted,
    differing,
    is_own,
    shown_columns,
)
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.session.condition import first_line, is_cancelled, says_condition
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import read_at
from dbt.adapters.ivm_spark.state.difference import are_comparable
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.state.taken_over import NotStoredError, rows_of_state
from dbt.adapters.ivm_spark.state.visible import columns_of_state
from dbt.adapters.ivm_spark.watermark.shown import mark_in

_SAMPLE = 100
"""One in so many rows is compared in a sample: those of one value of a hash of their keys."""
_MISSING, _SURPLUS = "missing", "surplus"


def with_taken_over(
    query: Query, request: Request, found: Findings, reads: bool
) -> tuple[Findings, str]:
    """Return the findings for a first build that takes a table over, and a warning.

    They are the same if the model names no table, if its table does not have the query's rows, and
    for every later rebuild.

    Args:
        query: sends a statement.
        request: of the run.
        found: the findings for a rebuild.
        reads: whether rows may be read to compare them.

    Raises RefusedError if the table does not have the view's columns, or does not tell all that the
    state stores.
    """
    config, name = request.config, request.config.backfill_from
    if not name or config.frozen_where or request.state_exists or request.full_refresh:
        return found, ""
    if is_own(request) and mark_in(request.information):
        return found, ""
    relation = backfill(query, request)
    if relation is None or request.limited:
        return found, ""
    says = f"backfill_from is {name!r}"
    layout, remedy = found.layout, "Or remove backfill_from, so that the query gives all rows."
    if layout is None:
        return found, f"{says}, but the query is not maintained, so the query gives all rows"
    check_columns(relation, found, says, remedy)
    if _hides(layout):
        raise RefusedError(
            f"{says}, but the state stores rows that the view does not show (HAVING, LIMIT, or a "
            f"filter on groups). {remedy}"
        )
    try:
        rows = rows_of_state(layout, found.facts.outputs, types_of_state(found), exact=True)
    except NotStoredError as error:
        raise RefusedError(
            f"{says}, but the state stores more than the view shows: {error}. Show the number of "
            "rows of each group, and of the values of each sum: count(*) and count(amount). "
            f"{remedy}"
        ) from error
    table = _table(query, relation)
    taken = Taken(name, rows.from_(table))
    if reads:
        shown = exp.select(*shown_columns(found)).from_(table.copy())
        check_shown(query, found, taken.rows, shown, says, "")
        differs = _difference(query, found, layout, shown, config.backfill_check, says)
        if differs:
            return found, f"{says}, {differs}. The query gives all rows"
    return replace(found, taken=taken), _unproven(config.backfill_check, name)


def _hides(layout: Layout) -> bool:
    """Return whether the view may leave out rows of the state."""
    return any(isinstance(node, (Filter, Limit)) for node in walk(layout.top))


def _table(query: Query, relation: Relation) -> exp.Table:
    """Return a scan of a relation, of its present version if it is a Delta table."""
    table = exp.to_table(relation.name, dialect="spark")
    if relation.kind is RelationKind.DELTA:
        read_at(table, SourceReader(query).commits(relation.name, None)[0].version)
    return table


def _difference(
    query: Query,
    found: Findings,
    layout: Layout,
    shown: exp.Select,
    check: BackfillCheck,
    says: str,
) -> str:
    """Return how the rows of a table differ from the query's, empty if those compared are equal.

    Raises RefusedError if they can't be compared.
    """
    view = found.reading.view
    if check is BackfillCheck.NONE or view is None:
        return ""
    if not are_comparable(dict(found.facts.outputs)):
        raise RefusedError(
            f"{says}, but rows of the view's types can't be compared. Set backfill_check: none to "
            "take them over as they are."
        )
    computed = render(view.root, Versions.of({}, found.heads).bind)
    names = exp.TableAlias(
        this=exp.to_identifier("r"),
        columns=[exp.to_identifier(name, quoted=True) for name, _ in found.facts.outputs],
    )
    wanted = exp.select(exp.Star()).from_(exp.Subquery(this=computed, alias=names))
    if check is BackfillCheck.SAMPLE:
        sample = _sample(found, layout)
        wanted, shown = wanted.where(sample), shown.where(sample.copy())
    missing, surplus = differing(wanted, shown)
    try:
        counts = counted(query, {_MISSING: missing, _SURPLUS: surplus})
    except DbtDatabaseError as error:
        if is_cancelled(error) or not says_condition(error):
            raise
        return f"and could not be compared with the query: {first_line(error)}"
    if not any(counts.values()):
        return ""
    of = " in one row of a hundred" if check is BackfillCheck.SAMPLE else ""
    return f"which lacks {counts[_MISSING]} rows of the query and has {counts[_SURPLUS]} others{of}"


def _sample(found: Findings, layout: Layout) -> exp.Expr:
    """Return the condition of a sample of the view's rows, over their keys."""
    stored = columns_of_state(layout, found.facts.outputs)
    keys = {key.name for key in layout.keys}
    by = [
        exp.column(name, quoted=True)
        for name, _ in found.facts.outputs
        if layout.style is Style.ROWS or stored.get(name.lower()) in keys
    ]
    hashed = exp.Anonymous(this="xxhash64", expressions=by)
    part = exp.Anonymous(this="pmod", expressions=[hashed, exp.Literal.number(_SAMPLE)])
    return exp.EQ(this=part, expression=exp.Literal.number(0))


def _unproven(check: BackfillCheck, name: str) -> str:
    """Return the warning of a first build that takes rows over which were not all compared."""
    if check is BackfillCheck.ALL:
        return ""
    which = "one in a hundred" if check is BackfillCheck.SAMPLE else "none"
    return (
        f"its rows are those of {name}, and {which} of them was compared with the query "
        f"(backfill_check: {check.value}). `dbt test` with equals_its_query compares all."
    )
