"""How a state is laid out: in the columns that it has, as it is, or as the model configures it."""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.delta.query_change import settled
from dbt.adapters.ivm_spark.plan.findings import Facts, Findings
from dbt.adapters.ivm_spark.plan.frozen import with_frozen
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.visible import columns_of_state
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError, Configuration


def placed(request: Request, layout: Layout | None, facts: Facts) -> Configuration:
    """Return how the model lays out the state, in the state's own columns.

    Raises RefusedError for a column that the state does not have.
    """
    table = request.config.table
    if not (table.partitions or table.clusters):
        return table
    try:
        return table.placed(columns_of_state(layout, facts.outputs))
    except ConfigError as error:
        raise RefusedError(error.sentence) from error


def staying(request: Request, found: Findings) -> Findings:
    """Return the findings for a state whose table stays as it is, against the model's configs."""
    appends = request.config.table.appends if found.watermark is None else found.watermark.appends
    return _laid_out(request, found, appends, kept=True)


def anew(request: Request, found: Findings) -> Findings:
    """Return the findings for a state that is built as configured after all."""
    return _laid_out(request, found, request.config.table.appends, kept=False)


def as_it_is(request: Request, found: Findings) -> Findings:
    """Return the findings for the state that there is, as if no expression had moved."""
    view = found.reading.view
    assert view is not None
    reading = replace(found.reading, view=replace(view, root=settled(view.root)))
    return _laid_out(request, replace(found, reading=reading), request.config.table.appends, False)


def _laid_out(request: Request, found: Findings, appends: bool, kept: bool) -> Findings:
    layout, view = found.layout, found.reading.view
    if layout is not None and view is not None:
        layout = lay_out(view, found.facts.types, request.state, appends, checked=True)
    return with_frozen(request, found.laid_out(layout, kept))
