"""The rows of a state made from rows of its view, which another table has.

    view   day, region, revenue = sum(amount), orders = count(*)
    state  day, region, revenue, __ivm_nonnull_revenue, __ivm_count

A key, a sum, an extremum and a count are stored as the view shows them. How many rows of a group
had an amount can't be told from the sum, only whether any had. That is enough for rows that no
refresh changes. Other rows need a query that shows all of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.state.accumulators import COUNT
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.state.visible import columns_of_state, stored_names, view_over

_GIVEN = "ivm_given"
Outputs = tuple[tuple[str, str], ...]


class NotStoredError(ValueError):
    """The state needs values that the view does not show; the message names them."""


def rows_of_state(
    layout: Layout | None, outputs: Outputs, types: Mapping[str, str], exact: bool = False
) -> exp.Select:
    """Return the SELECT list of a state over rows of its view; it has no FROM yet.

    Args:
        layout: None for a query that is stored as it is.
        outputs: (name, Spark type) of the view's columns.
        types: Spark types of the state's columns.
        exact: refreshes change these rows, so no value is made up.

    Raises NotStoredError.
    """
    stored = columns_of_state(layout, outputs)
    shown = {stored[name.lower()]: column(name) for name, _ in outputs if name.lower() in stored}
    columns = tuple(types) if layout is None else layout.columns
    if exact:
        copies = layout is not None and layout.style is Style.ROWS
        values = {name: _exact(name, copies, shown) for name in columns}
    else:
        values = {name: _value(name, layout, shown) for name in columns}
    missing = [name for name, value in values.items() if value is None]
    if missing or (layout is None and len(shown) < len(stored_names(outputs))):
        raise NotStoredError(", ".join(missing) or "columns in forms of their own")
    return exp.select(
        *(
            exp.alias_(cast_as(value.copy(), types[name]), name, quoted=True)
            for name, value in values.items()
            if value is not None
        )
    )


def shown_rows(
    layout: Layout, types: dict[str, str], outputs: Outputs, rows: exp.Query
) -> exp.Query:
    """Return what the view shows of rows of its state, under the names of its columns.

    Args:
        layout: of the state.
        types: Spark types of the columns of its probe.
        outputs: (name, Spark type) of the view's columns.
        rows: with the state's columns.
    """
    return view_over(layout, types, outputs, _GIVEN).with_(_GIVEN, as_=rows)


def _exact(name: str, copies: bool, shown: Mapping[str, exp.Expr]) -> exp.Expr | None:
    """Return a column of the state that the view shows; each row of the view may be one copy."""
    return exp.Literal.number(1) if copies and name == COUNT else shown.get(name)


def _value(name: str, layout: Layout | None, shown: Mapping[str, exp.Expr]) -> exp.Expr | None:
    """Return the value of a column of the state over the view's columns, None if it can't be told.

    shown: the view's column for each column of the state that it shows as it is.
    """
    if name in shown:
        return shown[name]
    if name == COUNT:
        return exp.Literal.number(1)
    for sum_ in () if layout is None else layout.accumulators:
        if sum_.counter == name and sum_.name in shown:
            empty = exp.Is(this=shown[sum_.name].copy(), expression=exp.null())
            return exp.If(this=empty, true=exp.Literal.number(0), false=exp.Literal.number(1))
    return None
