"""Compares a state's table with the model's configs, and obeys on_configuration_change."""

from __future__ import annotations

from dbt.adapters.ivm_spark.plan.config import OnChange
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration, alteration
from dbt.adapters.ivm_spark.watermark.watermark import StateHistory


def conforming(
    query: Query, request: Request, history: StateHistory, placed: Configuration
) -> tuple[Alteration, str]:
    """Return what the state's table needs to be as configured, and a warning if it is to stay.

    `placed` is the model's configuration in the state's own columns. Delta is asked only if the
    model says something else than at the last refresh, or if somebody altered the table since.

    Raises RefusedError if the model says to fail, or if the table can't be made as configured.
    """
    watermark, table = history.watermark, request.config.table
    if watermark is None or (watermark.configured == table and not history.altered):
        return Alteration(), ""
    detail = SourceReader(query).detail(request.state)
    needed = alteration(placed, watermark.configured, detail, watermark.appends)
    if not needed.needed or request.full_refresh:
        return needed, ""
    differs = f"the state {request.state} differs from the model's configuration ({needed})"
    if request.config.on_change is OnChange.FAIL:
        raise RefusedError(
            f"{differs}, and on_configuration_change is fail. Run with --full-refresh, set "
            "on_configuration_change: apply, or restore the old configuration."
        )
    if request.config.on_change is OnChange.CONTINUE:
        return needed, (
            f"{differs}, and on_configuration_change is continue. The state stays as it is until "
            "the next full refresh."
        )
    if needed.impossible:
        raise RefusedError(unalterable(request.state, needed))
    return needed, ""


def unalterable(state: str, needed: Alteration) -> str:
    """Return the message that a state can't be made as configured, with what to do."""
    return (
        f"the state {state} can't take on the model's configuration ({needed.impossible}): Delta "
        "can't move a table, and it can't partition a clustered one. Restore the old "
        f"configuration, or run DROP TABLE {state}; the next run then rebuilds it, without "
        "its frozen rows if it has any."
    )
