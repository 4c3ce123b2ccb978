"""What is asked of Spark about a query that is new."""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.delta.guards import check_types
from dbt.adapters.ivm_spark.model.request import Request
from dbt.adapters.ivm_spark.query.analysis import Reading, lay_out
from dbt.adapters.ivm_spark.query.described import Described
from dbt.adapters.ivm_spark.query.facts import Facts
from dbt.adapters.ivm_spark.query.same_meaning import same_meaning
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.state.layout import Layout, probe
from dbt.adapters.ivm_spark.view.dialect import to_sql
from dbt.adapters.ivm_spark.view.plain import bind_plain
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.size import not_too_deep


def examined(
    query: Query, request: Request, reading: Reading
) -> tuple[Facts, Layout | None, Reading]:
    """The query's columns, the types and layout of its state, and the reading with what speaks
    against its maintenance by now: types, or that the tree, written back, means something else.

    Raises RefusedError where a view can't have the query's columns.
    """
    described = Described(query)
    facts = Facts(described.outputs(request.sql), {})
    if reading.view is None:
        return facts, None, reading
    try:
        with not_too_deep():
            types = described.types(probe(reading.view.root))
            appends = request.config.table.appends
            layout = lay_out(reading.view, types, request.state, appends)
            check_types(layout.input, described.types)
            written = to_sql(render(reading.view.written, bind_plain))
        if not same_meaning(query, request.sql, written):
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "another plan")
        return Facts(facts.outputs, types), layout, reading
    except NotMaintained as error:
        certain = error.reason.code is not ReasonCode.QUERY_NOT_UNDERSTOOD
        return facts, None, replace(reading, lasting=error.reason, repeatable=certain)
