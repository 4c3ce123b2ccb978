"""Asks Spark about a query that is new."""

from __future__ import annotations

from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.catalog import Catalog
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import not_too_deep
from dbt.adapters.ivm_spark.analysis.repeatability import plan_reads_only_sources
from dbt.adapters.ivm_spark.delta.type_checks import aggregates_to_order, check_types
from dbt.adapters.ivm_spark.plan.clock import check_clock
from dbt.adapters.ivm_spark.plan.described import Described
from dbt.adapters.ivm_spark.plan.findings import Facts
from dbt.adapters.ivm_spark.plan.reading import Reading, lay_out, may_be_repeatable
from dbt.adapters.ivm_spark.plan.refusals import own_defects, own_statements
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.spark_plans import Judgement, explained, judge, whole_plans
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.rewrite.in_order import with_aggregates_in_order
from dbt.adapters.ivm_spark.state.layout import Layout, below_state, probe, stored_types

_ALIKE = "Spark's plan for the reconstructed SQL differs from its plan for the model"
"""The detail if the plans differ in nothing that can be named."""


def examined(
    query: Query, request: Request, reading: Reading, catalog: Catalog, settings: dict[str, str]
) -> tuple[Facts, Layout | None, Reading]:
    """Return the facts, the layout and the reading of a new query, after asking Spark.

    The facts are the query's columns and the types of its state. The reading gets the reason if the
    query turns out not to be maintained. Such reasons are types, a text that is a time, or a tree
    whose SQL means something else. `settings` holds the session's settings that change results.

    Raises RefusedError if a view can't have the query's columns. Spark's errors about the user's
    own text pass through.
    """
    described = Described(query)
    facts = Facts(described.outputs(request.sql), {})
    if reading.view is not None:
        try:
            return _maintained(query, request, reading, reading.view, facts)
        except NotMaintained as error:
            reading = replace(reading, unsupported_reason=error.reason)
    repeatable = may_be_repeatable(request.sql, catalog, settings) and _plan_is(query, request.sql)
    return facts, None, replace(reading, repeatable=repeatable)


def _maintained(
    query: Query, request: Request, reading: Reading, view: View, facts: Facts
) -> tuple[Facts, Layout | None, Reading]:
    """Return the facts, the layout and the reading of a query that is maintained.

    Raises NotMaintained if it is not.
    """
    described = Described(query, view.sources)
    with not_too_deep(), own_statements(), own_defects():
        described.types(probe(view.root))  # the walks below then find most types
        names = aggregates_to_order(below_state(view.root), described.types)
        view = in_order(view, names)
        types = described.types(probe(view.root))
        appends, most = request.config.table.appends, request.most_operators
        layout = lay_out(view, types, request.state, appends, most=most)
        check_types(layout.input, described.types)
        check_clock(query, view.written)
        judgement = compared(query, request.sql, view)
        if not judgement.equivalent:
            query(f"describe query\n{view.text}")
            differs = judgement.difference
            raise NotMaintained(
                ReasonCode.QUERY_NOT_UNDERSTOOD, differs.sentence if differs else _ALIKE
            )
    found = Facts(facts.outputs, stored_types(view.root, types), names)
    return found, layout, replace(reading, view=view)


def in_order(view: View, names: tuple[str, ...]) -> View:
    """Return a view with the aggregates of these names over rows in a fixed order."""
    return replace(view, root=with_aggregates_in_order(view.root, names)) if names else view


def compared(query: Query, sql: str, view: View) -> Judgement:
    """Return the comparison of a query's plan with that of its tree, written back as SQL."""
    return judge(query, sql, view.text, clock=bool(view.clock), other=lambda: view.nested_text)


def _plan_is(query: Query, sql: str) -> bool:
    """Return whether Spark's plan of a query reads nothing but its sources' rows."""
    with whole_plans(query):
        return plan_reads_only_sources(explained(query, sql))
