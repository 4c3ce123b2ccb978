"""What everybody reads: the query's columns over the state, with exactly the query's types."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.state.accumulators import COUNT
from dbt.adapters.ivm_spark.state.layout import STATE, Layout
from dbt.adapters.ivm_spark.view.catalog import quote
from dbt.adapters.ivm_spark.view.columns import column
from dbt.adapters.ivm_spark.view.dialect import to_sql
from dbt.adapters.ivm_spark.view.plain import bind_plain
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.tree import Item, Limit, Node, Project, Sort

VOID = "void"
"""The type of a bare NULL; a Delta table can't have such a column."""


def visible(
    layout: Layout,
    types: dict[str, str],
    outputs: tuple[tuple[str, str], ...],
    pretty: bool = False,
) -> str:
    """The SELECT of the view `<model>`; its columns are named by the view's column list.

    types: Spark types of the columns of `probe`; outputs: (name, Spark type) of the query's
    columns, in order.
    """
    return to_sql(visible_query(layout, types, [kind for _, kind in outputs]), pretty)


def visible_query(layout: Layout, types: dict[str, str], wanted: list[str] | None) -> exp.Query:
    """The same as a tree; `wanted` are the outputs' types, None where they need not be kept."""
    top = layout.top if wanted is None else typed_top(layout, types, wanted)
    return render(top, bind_plain)


def typed_top(layout: Layout, types: dict[str, str], wanted: list[str]) -> Node:
    """The view's tree over the state, its outputs of the wanted types."""
    stored = {**types, COUNT: "bigint"}
    stored.update({a.name: a.type_name for a in layout.accumulators})
    return _typed(layout.top, stored, wanted)


def _typed(top: Node, stored: dict[str, str], wanted: list[str]) -> Node:
    """The outputs cast where they are not a stored column of the wanted type; below ORDER BY and
    LIMIT, which must stay on top for the order to be seen."""
    if isinstance(top, Project) and isinstance(top.input, (Sort, Limit)):
        wanted_by = dict(zip(top.columns, wanted, strict=True))
        return Project(
            top.input,
            tuple(Item(i.name, exp.cast(i.expression, wanted_by[i.name])) for i in top.items),
        )
    if isinstance(top, Limit):
        return Limit(_typed(top.input, stored, wanted), top.limit, top.offset)
    if isinstance(top, Sort):
        return Sort(_typed(top.input, stored, wanted), top.orderings)
    if isinstance(top, Project):
        items = tuple(
            i
            if isinstance(i.expression, exp.Column) and stored.get(i.expression.name) == t
            else Item(i.name, exp.cast(i.expression, t))
            for i, t in zip(top.items, wanted, strict=True)
        )
        return Project(top.input, items)
    return Project(
        top,
        tuple(Item(c, exp.cast(column(c), t)) for c, t in zip(top.columns, wanted, strict=True)),
    )


def stored_query(sql: str, outputs: tuple[tuple[str, str], ...]) -> str:
    """A query that is not maintained, stored as it is: its columns under names that Delta takes."""
    names = stored_names(outputs)
    kept = ", ".join(quote(n) for n, (_, kind) in zip(names, outputs, strict=True) if kind != VOID)
    every = ", ".join(quote(name) for name in names)
    return f"select {kept or '1 as nothing'} from (\n{sql}\n) as ivm_query ({every})"


def stored_names(outputs: tuple[tuple[str, str], ...]) -> list[str]:
    """Names of the state's columns for a query that is stored as it is."""
    return [f"c{place}" for place, _ in enumerate(outputs, start=1)]


def visible_stored(outputs: tuple[tuple[str, str], ...], state: str) -> str:
    """The SELECT of the view over a query that is stored as it is."""
    columns = ", ".join(
        "null" if kind == VOID else f"{STATE}.{quote(name)}"
        for name, (_, kind) in zip(stored_names(outputs), outputs, strict=True)
    )
    return f"select {columns} from {state} as {STATE}"
