"""The view that everybody reads: the query's columns over the state, with the query's types."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Generate,
    Item,
    Limit,
    Node,
    Project,
    Scan,
    Sort,
)
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Bound, bind_plain
from dbt.adapters.ivm_spark.state.accumulators import COUNT
from dbt.adapters.ivm_spark.state.layout import STATE, Layout
from dbt.adapters.ivm_spark.state.storage import VOID, form_of, is_stored

_NO_NAME = frozenset(" ,;{}()\n\t=`")
"""Characters that Delta allows in no column name.

Source: `DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES` of Delta."""


def visible(
    layout: Layout,
    types: dict[str, str],
    outputs: tuple[tuple[str, str], ...],
    pretty: bool = False,
) -> str:
    """Return the SELECT of the view `<model>`; the view's column list names its columns.

    Args:
        layout: of the state.
        types: Spark types of the columns of `probe`.
        outputs: (name, Spark type) of the query's columns, in order.
        pretty: formats the text for people.
    """
    return to_sql(visible_query(layout, types, [kind for _, kind in outputs]), pretty)


def visible_query(layout: Layout, types: dict[str, str], wanted: list[str] | None) -> exp.Query:
    """Return the same as a tree.

    Args:
        layout: of the state.
        types: as for `visible`.
        wanted: the outputs' types, None if they need not be preserved.
    """
    top = layout.top if wanted is None else typed_top(layout, types, wanted)
    return render(top, bind_plain)


def view_over(
    layout: Layout, types: dict[str, str], outputs: Sequence[tuple[str, str]], relation: str
) -> exp.Select:
    """Return the SELECT of a view over another relation with the state's columns.

    Args:
        layout: of the state.
        types: Spark types of the columns of `probe`.
        outputs: (name, Spark type) of the view's columns.
        relation: name of the relation.
    """

    def bind(scan: Scan) -> Bound:
        bound = bind_plain(scan)
        table = exp.to_table(relation)
        table.set("alias", bound.table.args["alias"])
        return Bound(table, bound.columns)

    top = render(typed_top(layout, types, [kind for _, kind in outputs]), bind)
    names = [exp.to_identifier(name, quoted=True) for name, _ in outputs]
    alias = exp.TableAlias(this=exp.to_identifier("ivm_view"), columns=names)
    return exp.select(exp.Star()).from_(exp.Subquery(this=top, alias=alias))


def typed_top(layout: Layout, types: dict[str, str], wanted: list[str]) -> Node:
    """Return the view's tree over the state, with outputs of the wanted types."""
    stored = {**types, COUNT: "bigint"}
    stored.update({a.name: a.type_name for a in layout.accumulators})
    return _typed(layout.top, stored, wanted)


def _typed(top: Node, stored: dict[str, str], wanted: list[str]) -> Node:
    """Return a tree with each output cast, unless it is a stored column of the wanted type.

    The casts are below ORDER BY and LIMIT, which must stay on top for the order to be seen.
    """
    if isinstance(top, Project) and isinstance(top.input, (Sort, Limit)):
        wanted_by = dict(zip(top.columns, wanted, strict=True))
        return Project(
            top.input,
            tuple(Item(i.name, cast_as(i.expression, wanted_by[i.name])) for i in top.items),
        )
    if isinstance(top, Limit):
        return Limit(_typed(top.input, stored, wanted), top.limit, top.offset)
    if isinstance(top, Sort):
        return Sort(_typed(top.input, stored, wanted), top.orderings)
    if isinstance(top, Project):
        items = tuple(
            i
            if isinstance(i.expression, exp.Column) and stored.get(i.expression.name) == t
            else Item(i.name, cast_as(i.expression, t))
            for i, t in zip(top.items, wanted, strict=True)
        )
        return Project(top.input, items)
    return Project(
        top,
        tuple(Item(c, cast_as(column(c), t)) for c, t in zip(top.columns, wanted, strict=True)),
    )


def columns_of_state(layout: Layout | None, outputs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the state's column of each query column that is stored as it is.

    The keys are names of the query's columns in lower case.

    Args:
        layout: None for a query that is not maintained.
        outputs: as for `visible`.
    """
    if layout is None:
        stored = zip(stored_names(outputs), outputs, strict=True)
        return {n.lower(): s for s, (n, kind) in stored if is_stored(kind)}
    pairs = zip(outputs, layout.top.columns, strict=True)
    found = {name.lower(): _origin(layout.top, column) for (name, _), column in pairs}
    return {name: stored for name, stored in found.items() if stored is not None}


def _origin(node: Node, name: str) -> str | None:
    """Return the column of the state that a column of the view's tree is."""
    if isinstance(node, Scan):
        return dict(node.fields).get(name)
    if isinstance(node, (Project, Aggregate)):
        items = node.items if isinstance(node, Project) else node.keys
        found = next((i.expression for i in items if i.name == name), None)
        return _origin(node.input, found.name) if isinstance(found, exp.Column) else None
    if isinstance(node, (Filter, Sort, Limit, Generate)):
        return _origin(node.input, name)
    return None


def stored_query(sql: str, outputs: tuple[tuple[str, str], ...]) -> str:
    """Return the SELECT that stores an unmaintained query under names and in forms Delta allows."""
    names = stored_names(outputs)
    kept = [
        to_sql(exp.alias_(_stored(column(name), kind), name, quoted=True))
        for name, (_, kind) in zip(names, outputs, strict=True)
        if kind != VOID
    ]
    every = ", ".join(quote(name) for name in names)
    items = ", ".join(kept) or "1 as nothing"
    return f"select {items} from (\n{sql}\n) as ivm_query ({every})"


def is_delta_name(name: str) -> bool:
    """Return whether a column of a Delta table may have this name."""
    return not _NO_NAME.intersection(name)


def stored_names(outputs: tuple[tuple[str, str], ...]) -> list[str]:
    """Return names of the state's columns for a query that is stored as it is.

    They are the query's own names if Delta allows them.
    """
    return [
        name if is_delta_name(name) else f"__ivm_column_{place}"
        for place, (name, _) in enumerate(outputs, start=1)
    ]


def stored_value(name: str, kind: str, table: str = "") -> exp.Expr:
    """Return a column of the query, from the state's column of that name."""
    if kind == VOID:
        return exp.null()
    stored = exp.column(name, table=table or None, quoted=True)
    form = form_of(kind)
    return stored if form is None else form.decode(stored)


def visible_stored(outputs: tuple[tuple[str, str], ...], state: str) -> str:
    """Return the SELECT of the view over a query that is stored as it is."""
    columns = ", ".join(
        to_sql(exp.alias_(stored_value(name, kind, STATE), name, quoted=True))
        for name, (_, kind) in zip(stored_names(outputs), outputs, strict=True)
    )
    return f"select {columns} from {state} as {STATE}"


def _stored(value: exp.Expr, kind: str) -> exp.Expr:
    form = form_of(kind)
    return value if form is None else form.encode(value)
