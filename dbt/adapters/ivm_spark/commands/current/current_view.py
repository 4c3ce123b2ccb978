"""The query of a view as a refresh would leave it now; nothing is written.

    ivm_change  the change of the state since the last refresh, as the refresh materializes it
    ivm_stored  the state
    ivm_after   the state after the MERGE or INSERT of that change
    SELECT      the view over it

It is one statement over the sources at the versions that they had when it was made.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.physical.lower import Statements
from dbt.adapters.ivm_spark.sql.scans import read_at
from dbt.adapters.ivm_spark.state.insert import Insert
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.rewrite import ROW, rewrite
from dbt.adapters.ivm_spark.state.visible import view_over

_STORED, _AFTER, _REWRITTEN = "ivm_stored", "ivm_after", "ivm_rewritten"


def current_view(
    layout: Layout,
    types: dict[str, str],
    outputs: Sequence[tuple[str, str]],
    state: str,
    version: int,
    statements: Statements | None,
) -> str:
    """Return the SELECT of a view after a refresh.

    Args:
        layout: of the state.
        types: Spark types of the columns of its probe.
        outputs: (name, Spark type) of the view's columns.
        state: quoted name of the state.
        version: of the state, which the statements were made for.
        statements: of the refresh, None if nothing has changed since the last one.
    """
    stored = exp.to_table(state, dialect="spark")
    read_at(stored, version)
    relations: list[tuple[str, exp.Query]] = [(_STORED, _columns(layout).from_(stored))]
    after = _STORED
    if statements is not None:
        relations += [(m.name, statements.query(m.relation)) for m in statements.materialized]
        relations += _after(layout, statements)
        after = _AFTER

    query = view_over(layout, types, outputs, after)
    for name, relation in relations:
        query = query.with_(name, as_=relation, copy=False)
    return to_sql(query, pretty=True)


def _after(layout: Layout, statements: Statements) -> list[tuple[str, exp.Query]]:
    """Return the relations that end in the rows of the state after a refresh."""
    write = statements.write
    source = statements.query(write.source)
    if isinstance(write, Insert):
        added = _columns(layout).from_(source.subquery("ivm_added"))
        stored = _columns(layout).from_(_STORED)
        return [(_AFTER, exp.union(stored, added, distinct=False))]
    change = rewrite(write, source, _STORED)
    rows = exp.select(change.unfed).from_(_REWRITTEN)
    row = exp.Column(this=exp.Star(), table=exp.to_identifier(ROW))
    after = exp.select(row).from_(rows.subquery("ivm_rows"))
    return [(_REWRITTEN, change.rows), (_AFTER, after)]


def _columns(layout: Layout) -> exp.Select:
    return exp.select(*(exp.column(name, quoted=True) for name in layout.columns))
