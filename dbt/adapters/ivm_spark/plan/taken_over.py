"""A table that already has the rows of a new view becomes its state, instead of a build.

    backfill_from: this      the model was a table, and is a view from this run on

The rows are those of the query at the present versions of the sources: `backfill_check` says
whether all of them are compared, one in a hundred, or none. Later refreshes change them as if a
build had made them, so the state must follow from what the view shows: the rows of a query without
GROUP BY, or groups whose counts are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation, RelationKind
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Filter, Limit
from dbt.adapters.ivm_spark.plan.config import BackfillCheck
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.plan.findings import Findings, Taken
from dbt.adapters.ivm_spark.plan.frozen import types_of_state
from dbt.adapters.ivm_spark.plan.given_rows import (
    backfill,
    check_columns,
    check_shown,
    counted,
    differing,
    shown_columns,
)
from dbt.adapters.ivm_spark.plan.reading import lay_out
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

_SAMPLE = 100
"""One in so many rows is compared in a sample: those of one value of a hash of their keys."""
_ENOUGH = 300
"""Rows of a sample that say something of the others."""
_MISSING, _SURPLUS, _COMPARED = "missing", "surplus", "compared"


def with_taken_over(
    query: Query, request: Request, found: Findings, decision: Decision, reads: bool
) -> tuple[Findings, str]:
    """Return the findings for a first build that takes a table over, and a warning.

    They are the same if the model names no table, if its table does not have the query's rows, and
    for every later build.

    Args:
        query: sends a statement.
        request: of the run.
        found: the findings for a rebuild.
        decision: of the refresh.
        reads: whether rows may be read to compare them.

    Raises RefusedError if the table does not have the view's columns, or does not tell all that the
    state stores.
    """
    config, name = request.config, request.config.backfill_from
    if not name or config.frozen_where or request.full_refresh:
        return found, ""
    if not (decision.first or request.limited_before):
        return found, ""
    relation = backfill(query, request)
    if relation is None or request.limited:
        return found, ""
    says = f"backfill_from is {name!r}"
    remedy = "Or remove backfill_from, so that the query gives all rows."
    if found.layout is None:
        return found, f"{says}, but the query is not maintained, so the query gives all rows"
    if found.layout.whole:
        return found, ""  # one row, which the query gives as well
    if relation.kind is RelationKind.VIEW:
        return found, f"{says}, which is a view, so the query gives all rows"
    plain = _merged(request, found)
    layout = plain.layout
    assert layout is not None
    check_columns(relation, found, says, remedy)
    if _hides(layout):
        raise RefusedError(
            f"{says}, but the state stores rows that the view does not show (HAVING, LIMIT, or a "
            f"filter on groups). {remedy}"
        )
    try:
        rows = rows_of_state(layout, found.facts.outputs, types_of_state(plain), exact=True)
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
        if config.backfill_check is BackfillCheck.NONE:
            check_shown(query, plain, taken.rows, shown, says, "")
        differs = _difference(query, plain, shown, config.backfill_check, says)
        if differs:
            return found, f"{says}, {differs}. The query gives all rows"
        if config.backfill_check is BackfillCheck.SAMPLE:
            try:
                check_shown(query, plain, taken.rows, shown, says, "")
            except RefusedError as error:
                return found, f"{error} The query gives all rows"
    return replace(found, taken=taken), _unproven(config.backfill_check, name)


def _merged(request: Request, found: Findings) -> Findings:
    """Return the findings for a state that is merged into; an appended one has the same columns."""
    view = found.reading.view
    if found.layout is None or view is None or not found.layout.appended:
        return found
    layout = lay_out(view, found.facts.types, request.state, checked=True)
    return replace(found, layout=layout)


def _hides(layout: Layout) -> bool:
    """Return whether the view may leave out rows of the state."""
    return any(isinstance(node, (Filter, Limit)) for node in walk(layout.top))


def _table(query: Query, relation: Relation) -> exp.Table:
    """Return a scan of a table, of its present version if it is a Delta table.

    Nobody may write into a table in another format between the comparison and the copy.
    """
    table = exp.to_table(relation.name, dialect="spark")
    if relation.kind is RelationKind.DELTA:
        read_at(table, SourceReader(query).commits(relation.name, None)[0].version)
    return table


def _difference(
    query: Query, found: Findings, shown: exp.Select, check: BackfillCheck, says: str
) -> str:
    """Return how the rows of a table differ from the query's, empty if those compared are equal.

    A sample of few rows says little, so all are compared then. Raises RefusedError if rows can't be
    compared.
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
    try:
        if check is BackfillCheck.SAMPLE:
            sample = _sample(found)
            part = wanted.where(sample)
            counts = _counts(query, part, shown.where(sample.copy()), {_COMPARED: part.copy()})
            if counts[_COMPARED] >= _ENOUGH or counts[_MISSING] or counts[_SURPLUS]:
                return _said(counts, " in one row of a hundred")
        return _said(_counts(query, wanted, shown, {}), "")
    except DbtDatabaseError as error:
        if is_cancelled(error) or not says_condition(error):
            raise
        return f"and could not be compared with the query: {first_line(error)}"


def _counts(
    query: Query, wanted: exp.Select, shown: exp.Select, more: Mapping[str, exp.Query]
) -> Mapping[str, int]:
    missing, surplus = differing(wanted, shown)
    return counted(query, {_MISSING: missing, _SURPLUS: surplus, **more})


def _said(counts: Mapping[str, int], of: str) -> str:
    missing, surplus = counts[_MISSING], counts[_SURPLUS]
    if not (missing or surplus):
        return ""
    return f"which lacks {missing} rows of the query and has {surplus} others{of}"


def _sample(found: Findings) -> exp.Expr:
    """Return the condition of a sample of the view's rows, over their keys."""
    layout = found.layout
    assert layout is not None
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
